/* MCAPI 2.015: messages, packet channels and scalar channels between the nodes of one machine.
 *
 *   mcapi_initialize(0, 1, NULL, NULL, &info, &status);
 *   mcapi_endpoint_t mine = mcapi_endpoint_create(1, &status);
 *   mcapi_endpoint_t other = mcapi_endpoint_get(0, 2, 1, MCAPI_TIMEOUT_INFINITE, &status);
 *   mcapi_msg_send(mine, other, "hello", 6, 0, &status);
 *   mcapi_finalize(&status);
 *
 * Every function takes a status; only `*mcapi_status == MCAPI_SUCCESS` (or MCAPI_PENDING from an _i call) means that it
 * did what it says. What the specification leaves open is decided in docs/guide/mcapi.md.
 *
 * Threads   All functions may be called by any thread. A thread that called initialize is that node; every other thread
 *           belongs to the node of the thread that created it. */
#ifndef MCAPI_H
#define MCAPI_H

#include "mca.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef mca_int_t mcapi_int_t;
typedef mca_int8_t mcapi_int8_t;
typedef mca_int16_t mcapi_int16_t;
typedef mca_int32_t mcapi_int32_t;
typedef mca_int64_t mcapi_int64_t;
typedef mca_uint_t mcapi_uint_t;
typedef mca_uint8_t mcapi_uint8_t;
typedef mca_uint16_t mcapi_uint16_t;
typedef mca_uint32_t mcapi_uint32_t;
typedef mca_uint64_t mcapi_uint64_t;
typedef mca_boolean_t mcapi_boolean_t;
typedef mca_domain_t mcapi_domain_t;
typedef mca_node_t mcapi_node_t;
typedef mca_status_t mcapi_status_t;
typedef mca_timeout_t mcapi_timeout_t;
typedef mca_request_t mcapi_request_t;
typedef unsigned int mcapi_port_t;
typedef unsigned int mcapi_priority_t;

/* An endpoint is its name: domain, node and port in one number, the same in every run. */
typedef mcapi_uint32_t mcapi_endpoint_t;
typedef mcapi_uint32_t mcapi_pktchan_recv_hndl_t;
typedef mcapi_uint32_t mcapi_pktchan_send_hndl_t;
typedef mcapi_uint32_t mcapi_sclchan_recv_hndl_t;
typedef mcapi_uint32_t mcapi_sclchan_send_hndl_t;

typedef struct {
  mcapi_uint_t memory_mib; /* room for messages, when this process is the first; 0: the default */
} mcapi_param_t;

typedef struct {
  mcapi_uint_t kind;
} mcapi_node_attributes_t;

typedef struct {
  mcapi_uint_t mcapi_version;
  mcapi_uint_t organization_id;
  mcapi_uint_t implementation_version;
  mcapi_uint_t number_of_domains;
  mcapi_uint_t number_of_nodes;
  mcapi_uint_t number_of_ports;
  struct {
    mcapi_uint_t endpoints_max;
    mcapi_uint_t message_bytes_max;
    mcapi_uint_t requests_max;
  } impl_info;
} mcapi_info_t;

#define MCAPI_VERSION 2015
#define MCAPI_TRUE MCA_TRUE
#define MCAPI_FALSE MCA_FALSE
#define MCAPI_NULL MCA_NULL
#define MCAPI_IN const
#define MCAPI_OUT

#define MCAPI_PORT_ANY (~0u)
#define MCAPI_TIMEOUT_INFINITE (~0u)
#define MCAPI_TIMEOUT_IMMEDIATE 0u
#define MCAPI_INFINITE MCAPI_TIMEOUT_INFINITE
#define MCAPI_NODE_INVALID (~0u)
#define MCAPI_DOMAIN_INVALID (~0u)
#define MCAPI_RETURN_VALUE_INVALID (~0u)
#define MCAPI_MAX_STATUS_MSG_LEN 32

/* The limits of this implementation. The misspelt names are the specification's. */
#define MCAPI_MAX_PRORITY 0
#define MCAPI_MIN_PRORITY 7
#define MCAPI_MAX_PRIORITY MCAPI_MAX_PRORITY
#define MCAPI_MIN_PRIORITY MCAPI_MIN_PRORITY
#define MCAPI_NUM_RESERVED_PORTS 0
#define MCAPI_MIN_PORT MCAPI_NUM_RESERVED_PORTS
#define MCAPI_MAX_DOMAIN 15
#define MCAPI_MAX_NODE 4095
#define MCAPI_MAX_PORT 65535
#define MCAPI_MAX_NODES 1024
#define MCAPI_MAX_ENDPOINTS 2048
#define MCAPI_MAX_REQUESTS 65536
#define MCAPI_MAX_MESSAGE_SIZE 65536
#define MCAPI_MAX_MSG_SIZE MCAPI_MAX_MESSAGE_SIZE
#define MCAPI_MAX_PACKET_SIZE 65536
#define MCAPI_MAX_PKT_SIZE MCAPI_MAX_PACKET_SIZE
#define MCAPI_MAX_QUEUE_ELEMENTS 1024

enum mcapi_status_codes {
  MCAPI_SUCCESS = 1,
  MCAPI_PENDING,
  MCAPI_TIMEOUT,
  MCAPI_ERR_PARAMETER,
  MCAPI_ERR_DOMAIN_INVALID,
  MCAPI_ERR_NODE_INVALID,
  MCAPI_ERR_NODE_INITFAILED,
  MCAPI_ERR_NODE_INITIALIZED,
  MCAPI_ERR_NODE_NOTINIT,
  MCAPI_ERR_NODE_FINALFAILED,
  MCAPI_ERR_PORT_INVALID,
  MCAPI_ERR_ENDP_INVALID,
  MCAPI_ERR_ENDP_EXISTS,
  MCAPI_ERR_ENDP_GET_LIMIT,
  MCAPI_ERR_ENDP_DELETED,
  MCAPI_ERR_ENDP_NOTOWNER,
  MCAPI_ERR_ENDP_REMOTE,
  MCAPI_ERR_ATTR_INCOMPATIBLE,
  MCAPI_ERR_ATTR_SIZE,
  MCAPI_ERR_ATTR_NUM,
  MCAPI_ERR_ATTR_VALUE,
  MCAPI_ERR_ATTR_NOTSUPPORTED,
  MCAPI_ERR_ATTR_READONLY,
  MCAPI_ERR_MSG_SIZE,
  MCAPI_ERR_MSG_TRUNCATED,
  MCAPI_ERR_CHAN_OPEN,
  MCAPI_ERR_CHAN_TYPE,
  MCAPI_ERR_CHAN_DIRECTION,
  MCAPI_ERR_CHAN_CONNECTED,
  MCAPI_ERR_CHAN_OPENPENDING,
  MCAPI_ERR_CHAN_CLOSEPENDING,
  MCAPI_ERR_CHAN_NOTOPEN,
  MCAPI_ERR_CHAN_INVALID,
  MCAPI_ERR_PKT_SIZE,
  MCAPI_ERR_TRANSMISSION,
  MCAPI_ERR_PRIORITY,
  MCAPI_ERR_BUF_INVALID,
  MCAPI_ERR_MEM_LIMIT,
  MCAPI_ERR_REQUEST_INVALID,
  MCAPI_ERR_REQUEST_LIMIT,
  MCAPI_ERR_REQUEST_CANCELLED,
  MCAPI_ERR_WAIT_PENDING,
  MCAPI_ERR_GENERAL,
  MCAPI_STATUSCODE_END
};

/* Endpoint attributes. Those above PRIORITY need not be equal at both ends of a channel. */
enum mcapi_endpoint_attribute_numbers {
  MCAPI_ENDP_ATTR_MAX_PAYLOAD_SIZE,
  MCAPI_ENDP_ATTR_BUFFER_TYPE,
  MCAPI_ENDP_ATTR_MEMORY_TYPE,
  MCAPI_ENDP_ATTR_NUM_PRIORITIES,
  MCAPI_ENDP_ATTR_PRIORITY,
  MCAPI_ENDP_ATTR_NUM_SEND_BUFFERS,
  MCAPI_ENDP_ATTR_NUM_RECV_BUFFERS,
  MCAPI_ENDP_ATTR_STATUS,
  MCAPI_ENDP_ATTR_TIMEOUT,
  MCAPI_ENDP_ATTR_END
};

#define MCAPI_ENDP_ATTR_FIFO_BUFFER 0u
#define MCAPI_ENDP_ATTR_LOCAL_MEMORY 0u
#define MCAPI_ENDP_ATTR_SHARED_MEMORY 1u
#define MCAPI_ENDP_ATTR_REMOTE_MEMORY 2u

#define MCAPI_ENDP_ATTR_STATUS_CONNECTED 0x01u
#define MCAPI_ENDP_ATTR_STATUS_OPEN 0x02u
#define MCAPI_ENDP_ATTR_STATUS_OPEN_PENDING 0x04u
#define MCAPI_ENDP_ATTR_STATUS_CLOSE_PENDING 0x08u
#define MCAPI_ENDP_ATTR_STATUS_PKTCHAN 0x10u
#define MCAPI_ENDP_ATTR_STATUS_SCLCHAN 0x20u
#define MCAPI_ENDP_ATTR_STATUS_SEND 0x40u
#define MCAPI_ENDP_ATTR_STATUS_RECEIVE 0x80u

/* Node attributes: NUMBER 0 is the node's kind, a number of the program's own choosing. */
#define MCAPI_NODE_ATTR_TYPE_REGULAR 0u
#define MCAPI_NODE_ATTR_TYPE 0u

void mcapi_initialize(mcapi_domain_t domain_id, mcapi_node_t node_id, mcapi_node_attributes_t* mcapi_node_attributes,
                      mcapi_param_t* mcapi_parameters, mcapi_info_t* mcapi_info, mcapi_status_t* mcapi_status);
void mcapi_finalize(mcapi_status_t* mcapi_status);
mcapi_domain_t mcapi_domain_id_get(mcapi_status_t* mcapi_status);
mcapi_node_t mcapi_node_id_get(mcapi_status_t* mcapi_status);
void mcapi_node_init_attributes(mcapi_node_attributes_t* mcapi_node_attributes, mcapi_status_t* mcapi_status);
void mcapi_node_set_attribute(mcapi_node_attributes_t* mcapi_node_attributes, mcapi_uint_t attribute_num,
                              void* attribute, size_t attribute_size, mcapi_status_t* mcapi_status);
void mcapi_node_get_attribute(mcapi_domain_t domain_id, mcapi_node_t node_id, mcapi_uint_t attribute_num,
                              void* attribute, size_t attribute_size, mcapi_status_t* mcapi_status);

mcapi_endpoint_t mcapi_endpoint_create(mcapi_port_t port_id, mcapi_status_t* mcapi_status);
void mcapi_endpoint_get_i(mcapi_domain_t domain_id, mcapi_node_t node_id, mcapi_port_t port_id,
                          mcapi_endpoint_t* endpoint, mcapi_request_t* request, mcapi_status_t* mcapi_status);
mcapi_endpoint_t mcapi_endpoint_get(mcapi_domain_t domain_id, mcapi_node_t node_id, mcapi_port_t port_id,
                                    mcapi_timeout_t timeout, mcapi_status_t* mcapi_status);
void mcapi_endpoint_delete(mcapi_endpoint_t endpoint, mcapi_status_t* mcapi_status);
void mcapi_endpoint_get_attribute(mcapi_endpoint_t endpoint, mcapi_uint_t attribute_num, void* attribute,
                                  size_t attribute_size, mcapi_status_t* mcapi_status);
void mcapi_endpoint_set_attribute(mcapi_endpoint_t endpoint, mcapi_uint_t attribute_num, const void* attribute,
                                  size_t attribute_size, mcapi_status_t* mcapi_status);

void mcapi_msg_send_i(mcapi_endpoint_t send_endpoint, mcapi_endpoint_t receive_endpoint, void* buffer,
                      size_t buffer_size, mcapi_priority_t priority, mcapi_request_t* request,
                      mcapi_status_t* mcapi_status);
void mcapi_msg_send(mcapi_endpoint_t send_endpoint, mcapi_endpoint_t receive_endpoint, void* buffer, size_t buffer_size,
                    mcapi_priority_t priority, mcapi_status_t* mcapi_status);
void mcapi_msg_recv_i(mcapi_endpoint_t receive_endpoint, void* buffer, size_t buffer_size, mcapi_request_t* request,
                      mcapi_status_t* mcapi_status);
void mcapi_msg_recv(mcapi_endpoint_t receive_endpoint, void* buffer, size_t buffer_size, size_t* received_size,
                    mcapi_status_t* mcapi_status);
mcapi_uint_t mcapi_msg_available(mcapi_endpoint_t receive_endpoint, mcapi_status_t* mcapi_status);

void mcapi_pktchan_connect_i(mcapi_endpoint_t send_endpoint, mcapi_endpoint_t receive_endpoint,
                             mcapi_request_t* request, mcapi_status_t* mcapi_status);
void mcapi_pktchan_recv_open_i(mcapi_pktchan_recv_hndl_t* receive_handle, mcapi_endpoint_t receive_endpoint,
                               mcapi_request_t* request, mcapi_status_t* mcapi_status);
void mcapi_pktchan_send_open_i(mcapi_pktchan_send_hndl_t* send_handle, mcapi_endpoint_t send_endpoint,
                               mcapi_request_t* request, mcapi_status_t* mcapi_status);
void mcapi_pktchan_send_i(mcapi_pktchan_send_hndl_t send_handle, void* buffer, size_t size, mcapi_request_t* request,
                          mcapi_status_t* mcapi_status);
void mcapi_pktchan_send(mcapi_pktchan_send_hndl_t send_handle, void* buffer, size_t size, mcapi_status_t* mcapi_status);
void mcapi_pktchan_recv_i(mcapi_pktchan_recv_hndl_t receive_handle, void** buffer, mcapi_request_t* request,
                          mcapi_status_t* mcapi_status);
void mcapi_pktchan_recv(mcapi_pktchan_recv_hndl_t receive_handle, void** buffer, size_t* received_size,
                        mcapi_status_t* mcapi_status);
mcapi_uint_t mcapi_pktchan_available(mcapi_pktchan_recv_hndl_t receive_handle, mcapi_status_t* mcapi_status);
void mcapi_pktchan_release(void* buffer, mcapi_status_t* mcapi_status);
mcapi_boolean_t mcapi_pktchan_release_test(void* buffer, mcapi_status_t* mcapi_status);
void mcapi_pktchan_recv_close_i(mcapi_pktchan_recv_hndl_t receive_handle, mcapi_request_t* request,
                                mcapi_status_t* mcapi_status);
void mcapi_pktchan_send_close_i(mcapi_pktchan_send_hndl_t send_handle, mcapi_request_t* request,
                                mcapi_status_t* mcapi_status);

void mcapi_sclchan_connect_i(mcapi_endpoint_t send_endpoint, mcapi_endpoint_t receive_endpoint,
                             mcapi_request_t* request, mcapi_status_t* mcapi_status);
void mcapi_sclchan_recv_open_i(mcapi_sclchan_recv_hndl_t* receive_handle, mcapi_endpoint_t receive_endpoint,
                               mcapi_request_t* request, mcapi_status_t* mcapi_status);
void mcapi_sclchan_send_open_i(mcapi_sclchan_send_hndl_t* send_handle, mcapi_endpoint_t send_endpoint,
                               mcapi_request_t* request, mcapi_status_t* mcapi_status);
void mcapi_sclchan_send_uint64(mcapi_sclchan_send_hndl_t send_handle, mcapi_uint64_t dataword,
                               mcapi_status_t* mcapi_status);
void mcapi_sclchan_send_uint32(mcapi_sclchan_send_hndl_t send_handle, mcapi_uint32_t dataword,
                               mcapi_status_t* mcapi_status);
void mcapi_sclchan_send_uint16(mcapi_sclchan_send_hndl_t send_handle, mcapi_uint16_t dataword,
                               mcapi_status_t* mcapi_status);
void mcapi_sclchan_send_uint8(mcapi_sclchan_send_hndl_t send_handle, mcapi_uint8_t dataword,
                              mcapi_status_t* mcapi_status);
mcapi_uint64_t mcapi_sclchan_recv_uint64(mcapi_sclchan_recv_hndl_t receive_handle, mcapi_status_t* mcapi_status);
mcapi_uint32_t mcapi_sclchan_recv_uint32(mcapi_sclchan_recv_hndl_t receive_handle, mcapi_status_t* mcapi_status);
mcapi_uint16_t mcapi_sclchan_recv_uint16(mcapi_sclchan_recv_hndl_t receive_handle, mcapi_status_t* mcapi_status);
mcapi_uint8_t mcapi_sclchan_recv_uint8(mcapi_sclchan_recv_hndl_t receive_handle, mcapi_status_t* mcapi_status);
mcapi_uint_t mcapi_sclchan_available(mcapi_sclchan_recv_hndl_t receive_handle, mcapi_status_t* mcapi_status);
void mcapi_sclchan_recv_close_i(mcapi_sclchan_recv_hndl_t receive_handle, mcapi_request_t* request,
                                mcapi_status_t* mcapi_status);
void mcapi_sclchan_send_close_i(mcapi_sclchan_send_hndl_t send_handle, mcapi_request_t* request,
                                mcapi_status_t* mcapi_status);

mcapi_boolean_t mcapi_test(mcapi_request_t* request, size_t* size, mcapi_status_t* mcapi_status);
mcapi_boolean_t mcapi_wait(mcapi_request_t* request, size_t* size, mcapi_timeout_t timeout,
                           mcapi_status_t* mcapi_status);
mcapi_uint_t mcapi_wait_any(size_t number, mcapi_request_t* requests, size_t* size, mcapi_timeout_t timeout,
                            mcapi_status_t* mcapi_status);
void mcapi_cancel(mcapi_request_t* request, mcapi_status_t* mcapi_status);

char* mcapi_display_status(mcapi_status_t mcapi_status, char* status_message, size_t size);

/* wait_any over an array of pointers to requests, as most existing programs call it. A program that defines
 * MCAPI_WAIT_ANY_POINTERS before it includes this header gets it under the name mcapi_wait_any. */
mcapi_uint_t mcapi_wait_any_pointers(size_t number, mcapi_request_t** requests, size_t* size, mcapi_timeout_t timeout,
                                     mcapi_status_t* mcapi_status);
#ifdef MCAPI_WAIT_ANY_POINTERS
#define mcapi_wait_any mcapi_wait_any_pointers
#endif

#ifdef __cplusplus
}
#endif

#endif

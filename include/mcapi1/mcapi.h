/* MCAPI 1.063: the interface before there were domains, on the same runtime as that of 2.015 (its nodes are domain 0).
 *
 *   mcapi_initialize(1, &version, &status);
 *   mcapi_endpoint_t mine = mcapi_create_endpoint(1, &status);
 *   mcapi_finalize(&status);
 *
 * Link with -lmcapi1. Status numbers are this implementation's: compare by name. */
#ifndef MCAPI_H
#define MCAPI_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef int mcapi_int_t;
typedef unsigned int mcapi_uint_t;
typedef unsigned char mcapi_uint8_t;
typedef unsigned short mcapi_uint16_t;
typedef unsigned int mcapi_uint32_t;
typedef unsigned long long mcapi_uint64_t;
typedef unsigned char mcapi_boolean_t;
typedef int mcapi_node_t;
typedef int mcapi_port_t;
typedef int mcapi_timeout_t;
typedef int mcapi_priority_t;
typedef unsigned int mcapi_version_t;
typedef unsigned int mcapi_status_t;
typedef unsigned int mcapi_request_t;
typedef unsigned int mcapi_endpoint_t;
typedef unsigned int mcapi_pktchan_recv_hndl_t;
typedef unsigned int mcapi_pktchan_send_hndl_t;
typedef unsigned int mcapi_sclchan_recv_hndl_t;
typedef unsigned int mcapi_sclchan_send_hndl_t;

#define MCAPI_TRUE 1
#define MCAPI_FALSE 0
#define MCAPI_NULL 0
#define MCAPI_IN const
#define MCAPI_OUT

#define MCAPI_PORT_ANY (-1)
#define MCAPI_INFINITE (-1)
#define MCAPI_MAX_NO_PRIORITIES 8
#define MCAPI_MAX_NO_PRORITIES MCAPI_MAX_NO_PRIORITIES
#define MCAPI_MAX_MSG_SIZE 65536
#define MCAPI_MAX_PKT_SIZE 65536
#define MCAPI_MAX_NODES 1024
#define MCAPI_MAX_ENDPOINTS 2048
#define MCAPI_MAX_REQUESTS 65536

enum mcapi_status_codes {
  MCAPI_SUCCESS = 0,
  MCAPI_INCOMPLETE,
  MCAPI_EREQ_TIMEOUT,
  MCAPI_EPARAM,
  MCAPI_ENODE_NOTVALID,
  MCAPI_ENO_INIT,
  MCAPI_INITIALIZED,
  MCAPI_ENODE_NOTINIT,
  MCAPI_ENO_FINAL,
  MCAPI_EPORT_NOTVALID,
  MCAPI_ENOT_ENDP,
  MCAPI_EENDP_ISCREATED,
  MCAPI_ENOT_OWNER,
  MCAPI_EATTR_INCOMP,
  MCAPI_EATTR_SIZE,
  MCAPI_EATTR_NUM,
  MCAPI_EREAD_ONLY,
  MCAPI_EMESS_LIMIT,
  MCAPI_ETRUNCATED,
  MCAPI_ECHAN_OPEN,
  MCAPI_ECHAN_TYPE,
  MCAPI_EDIR,
  MCAPI_ECONNECTED,
  MCAPI_ENOT_OPEN,
  MCAPI_ENOT_HANDLE,
  MCAPI_EPACK_LIMIT,
  MCAPI_EPRIO,
  MCAPI_ENOT_VALID_BUF,
  MCAPI_ENO_MEM,
  MCAPI_ENOTREQ_HANDLE,
  MCAPI_ENO_REQUEST,
  MCAPI_EREQ_CANCELED,
  MCAPI_ESCL_SIZE,
  MCAPI_ENO_BUFFER,
  MCAPI_ENOT_CONNECTED,
  MCAPI_EEP_NOTALLOWED,
  MCAPI_EENDP_LIMIT,
  MCAPI_ERROR
};

enum mcapi_endpoint_attribute_numbers {
  MCAPI_ATTR_NO_PRIORITIES,
  MCAPI_ATTR_NO_BUFFERS,
  MCAPI_ATTR_BUFFER_SIZE,
  MCAPI_ATTR_BUFFER_TYPE,
  MCAPI_ATTR_MEMORY_TYPE,
  MCAPI_ATTR_TIMEOUT,
  MCAPI_ATTR_ENDP_PRIO,
  MCAPI_ATTR_ENDP_STATUS,
  MCAPI_ATTR_RECV_BUFFERS_AVAILABLE
};

void mcapi_initialize(mcapi_node_t node_id, mcapi_version_t* mcapi_version, mcapi_status_t* mcapi_status);
void mcapi_finalize(mcapi_status_t* mcapi_status);
mcapi_uint_t mcapi_get_node_id(mcapi_status_t* mcapi_status);
mcapi_endpoint_t mcapi_create_endpoint(mcapi_port_t port_id, mcapi_status_t* mcapi_status);
void mcapi_get_endpoint_i(mcapi_node_t node_id, mcapi_port_t port_id, mcapi_endpoint_t* endpoint,
                          mcapi_request_t* request, mcapi_status_t* mcapi_status);
mcapi_endpoint_t mcapi_get_endpoint(mcapi_node_t node_id, mcapi_port_t port_id, mcapi_status_t* mcapi_status);
void mcapi_delete_endpoint(mcapi_endpoint_t endpoint, mcapi_status_t* mcapi_status);
void mcapi_get_endpoint_attribute(mcapi_endpoint_t endpoint, mcapi_uint_t attribute_num, void* attribute,
                                  size_t attribute_size, mcapi_status_t* mcapi_status);
void mcapi_set_endpoint_attribute(mcapi_endpoint_t endpoint, mcapi_uint_t attribute_num, const void* attribute,
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
void mcapi_connect_pktchan_i(mcapi_endpoint_t send_endpoint, mcapi_endpoint_t receive_endpoint,
                             mcapi_request_t* request, mcapi_status_t* mcapi_status);
void mcapi_open_pktchan_recv_i(mcapi_pktchan_recv_hndl_t* recv_handle, mcapi_endpoint_t receive_endpoint,
                               mcapi_request_t* request, mcapi_status_t* mcapi_status);
void mcapi_open_pktchan_send_i(mcapi_pktchan_send_hndl_t* send_handle, mcapi_endpoint_t send_endpoint,
                               mcapi_request_t* request, mcapi_status_t* mcapi_status);
void mcapi_pktchan_send_i(mcapi_pktchan_send_hndl_t send_handle, void* buffer, size_t size, mcapi_request_t* request,
                          mcapi_status_t* mcapi_status);
void mcapi_pktchan_send(mcapi_pktchan_send_hndl_t send_handle, void* buffer, size_t size, mcapi_status_t* mcapi_status);
void mcapi_pktchan_recv_i(mcapi_pktchan_recv_hndl_t receive_handle, void** buffer, mcapi_request_t* request,
                          mcapi_status_t* mcapi_status);
void mcapi_pktchan_recv(mcapi_pktchan_recv_hndl_t receive_handle, void** buffer, size_t* received_size,
                        mcapi_status_t* mcapi_status);
mcapi_uint_t mcapi_pktchan_available(mcapi_pktchan_recv_hndl_t receive_handle, mcapi_status_t* mcapi_status);
void mcapi_pktchan_free(void* buffer, mcapi_status_t* mcapi_status);
void mcapi_pktchan_recv_close_i(mcapi_pktchan_recv_hndl_t receive_handle, mcapi_request_t* request,
                                mcapi_status_t* mcapi_status);
void mcapi_pktchan_send_close_i(mcapi_pktchan_send_hndl_t send_handle, mcapi_request_t* request,
                                mcapi_status_t* mcapi_status);
void mcapi_connect_sclchan_i(mcapi_endpoint_t send_endpoint, mcapi_endpoint_t receive_endpoint,
                             mcapi_request_t* request, mcapi_status_t* mcapi_status);
void mcapi_open_sclchan_recv_i(mcapi_sclchan_recv_hndl_t* receive_handle, mcapi_endpoint_t receive_endpoint,
                               mcapi_request_t* request, mcapi_status_t* mcapi_status);
void mcapi_open_sclchan_send_i(mcapi_sclchan_send_hndl_t* send_handle, mcapi_endpoint_t send_endpoint,
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
mcapi_boolean_t mcapi_wait(mcapi_request_t* request, size_t* size, mcapi_status_t* mcapi_status,
                           mcapi_timeout_t timeout);
mcapi_int_t mcapi_wait_any(size_t number, mcapi_request_t** requests, size_t* size, mcapi_status_t* mcapi_status,
                           mcapi_timeout_t timeout);
void mcapi_cancel(mcapi_request_t* request, mcapi_status_t* mcapi_status);

/* The names of the packet channel's closes in the titles of the specification. */
#define mcapi_packetchan_recv_close_i mcapi_pktchan_recv_close_i
#define mcapi_packetchan_send_close_i mcapi_pktchan_send_close_i

#ifdef __cplusplus
}
#endif

#endif

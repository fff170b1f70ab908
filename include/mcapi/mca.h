/* The types and constants that the APIs of the Multicore Association share, version 2.015.
 *
 *   #include <mcapi.h>    includes this
 *
 * Compiles as C99 and as C++. */
#ifndef MCA_H
#define MCA_H

#include <stddef.h>

typedef int mca_int_t;
typedef char mca_int8_t;
typedef short mca_int16_t;
typedef int mca_int32_t;
typedef long long mca_int64_t;
typedef unsigned int mca_uint_t;
typedef unsigned char mca_uint8_t;
typedef unsigned short mca_uint16_t;
typedef unsigned int mca_uint32_t;
typedef unsigned long long mca_uint64_t;
typedef unsigned char mca_boolean_t;
typedef unsigned int mca_domain_t;
typedef unsigned int mca_node_t;
typedef unsigned int mca_status_t;
typedef unsigned int mca_timeout_t;
typedef unsigned int mca_request_t;

#define MCA_TRUE 1
#define MCA_FALSE 0
#define MCA_NULL 0
#define MCA_INFINITE (~0u)
#define MCA_NODE_INVALID (~0u)
#define MCA_DOMAIN_INVALID (~0u)
#define MCA_RETURN_VALUE_INVALID (~0u)

/* Markers of the specification's signatures. */
#define MCA_IN const
#define MCA_OUT

#endif

#include "program/adapters/mcapi/operations.h"

namespace reprise::mcapi {

const char* status_text(Status status) {
  static const char* const texts[] = {
      "MCAPI_NULL",
      "MCAPI_SUCCESS",
      "MCAPI_PENDING",
      "MCAPI_TIMEOUT",
      "MCAPI_ERR_PARAMETER",
      "MCAPI_ERR_DOMAIN_INVALID",
      "MCAPI_ERR_NODE_INVALID",
      "MCAPI_ERR_NODE_INITFAILED",
      "MCAPI_ERR_NODE_INITIALIZED",
      "MCAPI_ERR_NODE_NOTINIT",
      "MCAPI_ERR_NODE_FINALFAILED",
      "MCAPI_ERR_PORT_INVALID",
      "MCAPI_ERR_ENDP_INVALID",
      "MCAPI_ERR_ENDP_EXISTS",
      "MCAPI_ERR_ENDP_GET_LIMIT",
      "MCAPI_ERR_ENDP_DELETED",
      "MCAPI_ERR_ENDP_NOTOWNER",
      "MCAPI_ERR_ENDP_REMOTE",
      "MCAPI_ERR_ATTR_INCOMPATIBLE",
      "MCAPI_ERR_ATTR_SIZE",
      "MCAPI_ERR_ATTR_NUM",
      "MCAPI_ERR_ATTR_VALUE",
      "MCAPI_ERR_ATTR_NOTSUPPORTED",
      "MCAPI_ERR_ATTR_READONLY",
      "MCAPI_ERR_MSG_SIZE",
      "MCAPI_ERR_MSG_TRUNCATED",
      "MCAPI_ERR_CHAN_OPEN",
      "MCAPI_ERR_CHAN_TYPE",
      "MCAPI_ERR_CHAN_DIRECTION",
      "MCAPI_ERR_CHAN_CONNECTED",
      "MCAPI_ERR_CHAN_OPENPENDING",
      "MCAPI_ERR_CHAN_CLOSEPENDING",
      "MCAPI_ERR_CHAN_NOTOPEN",
      "MCAPI_ERR_CHAN_INVALID",
      "MCAPI_ERR_PKT_SIZE",
      "MCAPI_ERR_TRANSMISSION",
      "MCAPI_ERR_PRIORITY",
      "MCAPI_ERR_BUF_INVALID",
      "MCAPI_ERR_MEM_LIMIT",
      "MCAPI_ERR_REQUEST_INVALID",
      "MCAPI_ERR_REQUEST_LIMIT",
      "MCAPI_ERR_REQUEST_CANCELLED",
      "MCAPI_ERR_WAIT_PENDING",
      "MCAPI_ERR_GENERAL",
  };
  const auto number = static_cast<std::size_t>(status);
  return number < sizeof texts / sizeof *texts ? texts[number] : "MCAPI: no such status";
}

}  // namespace reprise::mcapi

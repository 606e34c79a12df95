/* connection.c - the name of a connection: both queue pairs' addresses and numbers, in the order that both hosts give them. */
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include "library.h"
#include "control.h"

static uint64_t connections;

static void endpoint(char *to, size_t size, const union ibv_gid *gid, uint16_t lid, uint32_t number)
{
    char address[INET6_ADDRSTRLEN] = "";
    if (gid) inet_ntop(AF_INET6, gid->raw, address, sizeof address);
    if (gid) snprintf(to, size, "[%s]:%u", address, number);
    else snprintf(to, size, "lid%u:%u", lid, number);
}

uint32_t connection(struct qp *q, const struct ibv_qp_attr *attr, int mask)
{
    const struct ibv_ah_attr *ah = &attr->ah_attr;
    char mine_[80], peer[80], name[256];
    union ibv_gid gid;
    struct ibv_port_attr port;
    uint32_t number;
    int first, guarded;
    if (!(mask & IBV_QP_DEST_QPN) || !(mask & IBV_QP_AV) || q->type == IBV_QPT_UD || q->type == IBV_QPT_RAW_PACKET) return 0;
    guarded = enter();                     /* these are the library's own calls */
    memset(&port, 0, sizeof port);
    if (ah->is_global) {
        if (!real()->ibv_query_gid || real()->ibv_query_gid(q->context->real, ah->port_num, ah->grh.sgid_index, &gid)) number = 0;
        else number = 1;
    } else {
        struct verbs_context *v = verbs_get_ctx_op(q->context->real, query_port);
        number = v && !v->query_port(q->context->real, ah->port_num, &port, sizeof port);
    }
    if (guarded) leave();
    if (!number) return 0;
    endpoint(mine_, sizeof mine_, ah->is_global ? &gid : 0, port.lid, q->number);
    endpoint(peer, sizeof peer, ah->is_global ? &ah->grh.dgid : 0, ah->dlid, attr->dest_qp_num);
    first = strcmp(mine_, peer) < 0;
    snprintf(name, sizeof name, "%s-%s", first ? mine_ : peer, first ? peer : mine_);
    number = FIRST_CONNECTION + (uint32_t)(__atomic_fetch_add(&connections, 1, __ATOMIC_RELAXED) % CONNECTIONS);
    session_name(number, name);
    return number;
}

/* ndkshim_ways.h - which connection it is. Both ends are in one trace where an adapter connects to itself, and have one name there. Included by ndkshim.h,
 * and by the recorder in ndspi/.
 */
#ifndef NDKSHIM_WAYS_H
#define NDKSHIM_WAYS_H

enum { NDKS_IPV4 = 2, NDKS_IPV6 = 23 };
enum { NDKS_CONNECTS = 256 };

typedef union ndks_address { uint64_t align[16]; unsigned char bytes[128]; } ndks_address;

typedef struct ndks_connect { uint64_t way, conn; } ndks_connect; /* way: see ndks_way */
typedef struct ndks_ways {
    ndks_connect connects[NDKS_CONNECTS];  /* the latest that were begun */
    uint64_t connected;                    /* how many there were */
} ndks_ways;

/* a number for an address, 0 for one without a port or of another family */
static uint64_t ndks_address_key(const unsigned char *a, uint64_t length)
{
    unsigned family = length > 1 ? a[0] | (unsigned)a[1] << 8 : 0, i;
    unsigned from = family == NDKS_IPV6 ? 8 : 4, to = family == NDKS_IPV6 ? 24 : 8;
    uint64_t key = 14695981039346656037u;
    if ((family != NDKS_IPV4 && family != NDKS_IPV6) || length < to || !(a[2] | a[3])) return 0;
    for (i = 2; i < 4; i++) key = (key ^ a[i]) * 1099511628211u;
    for (i = from; i < to; i++) key = (key ^ a[i]) * 1099511628211u;
    return key ? key : 1;
}

/* a number for the way from one address to another; 0 where one of them is not known */
static uint64_t ndks_way(uint64_t from, uint64_t to) { return from && to ? (from * 1099511628211u ^ to) | 1 : 0; }

/* a connection goes this way: whoever accepts one that came it has the other end */
static void ndks_connects(ndks_ways *ways, uint64_t way, uint32_t conn)
{
    uint64_t i;
    if (!way) return;
    i = NDKT_ADD(&ways->connected, 1) % NDKS_CONNECTS;
    NDKS_SWAP(&ways->connects[i].way, 0);
    NDKT_STORE(&ways->connects[i].conn, conn);
    NDKT_STORE(&ways->connects[i].way, way);
}

/* the connection that was begun last and goes this way, or a new one */
static uint32_t ndks_connection(ndks_ways *ways, uint64_t way, ndkt_ring *ring)
{
    uint64_t n = NDKT_LOAD(&ways->connected), i;
    for (i = 0; way && i < NDKS_CONNECTS && i < n; i++) {
        ndks_connect *c = &ways->connects[(n - 1 - i) % NDKS_CONNECTS];
        uint64_t conn = NDKT_LOAD(&c->conn);
        if (NDKS_CAS(&c->way, way, 0)) return (uint32_t)conn;
    }
    return ndkt_new_id(ring);
}
#endif

/* items.h - records with items: the requests of a post, and the completions of a poll. Included by record.c. */

/* The kernel's verifier follows loops; unrolled they would only be long. */
#define UNROLL_NOT _Pragma("clang loop unroll(disable)")

/* sum_of_lengths adds up the buffers of a request. It is a function of its own, and global, so that the kernel verifies it once. ~0 is not known. */
#define MOST_BUFFERS 256
__attribute__((noinline)) u64 sum_of_lengths(u64 list, u32 count)
{
    u64 sum = 0;
    if (count > MOST_BUFFERS) return ~0ull;
    UNROLL_NOT for (u32 i = 0; i < MOST_BUFFERS; i++) {
        struct ib_sge *buffer = (void *)list;
        if (i >= count) break;
        sum += READ(buffer->length);
        list += SIZE_OF(struct ib_sge);
    }
    return sum;
}

INLINE void fill_send(struct item *item, u64 place)
{
    struct ib_send_wr *wr = (void *)place;
    item->id = READ(wr->wr_id);
    item->place = place;
    item->opcode = READ(wr->opcode);
    item->flags = (u32)READ(wr->send_flags);
    item->bytes = sum_of_lengths((u64)READ(wr->sg_list), (u32)READ(wr->num_sge));
    item->mr = 0;
    item->key = READ(wr->ex.invalidate_rkey);
    if (item->opcode == IB_WR_REG_MR || item->opcode == IB_WR_REG_MR_INTEGRITY) {
        struct ib_reg_wr *reg = (void *)wr;
        item->mr = (u64)READ(reg->mr);
        item->key = READ(reg->key);
    }
    item->status = item->vendor = item->unused = 0;
}

INLINE void fill_receive(struct item *item, u64 place)
{
    struct ib_recv_wr *wr = (void *)place;
    item->id = READ(wr->wr_id);
    item->place = place;
    item->bytes = sum_of_lengths((u64)READ(wr->sg_list), (u32)READ(wr->num_sge));
    item->mr = 0;
    item->opcode = item->flags = item->key = item->status = item->vendor = item->unused = 0;
}

INLINE u64 next_of(u64 place, int sends)
{
    if (sends) {
        struct ib_send_wr *send = (void *)place;
        return (u64)READ(send->next);
    }
    struct ib_recv_wr *receive = (void *)place;
    return (u64)READ(receive->next);
}

INLINE void fill_completion(struct item *item, struct ib_wc *wc)
{
    item->id = READ(wc->wr_id);
    item->place = (u64)READ(wc->qp);
    item->bytes = READ(wc->byte_len);
    item->mr = 0;
    item->opcode = READ(wc->opcode);
    item->flags = (u32)READ(wc->wc_flags);
    item->key = READ(wc->ex.invalidate_rkey);
    item->status = READ(wc->status);
    item->vendor = READ(wc->vendor_err);
    item->unused = 0;
}

/* WITH_ROOM records a post's requests, or a poll's completions, with room for so many. */
#define WITH_ROOM(room) \
    struct with_##room { \
        struct record record; \
        struct item items[room]; \
    }; \
    INLINE void post_##room(u64 *ctx, u64 frame, int kind) \
    { \
        struct with_##room *r = (void *)open_record(sizeof *r, ctx, frame, kind, BEGIN); \
        u64 place = ctx[1]; \
        u32 i; \
        if (!r) return; \
        UNROLL_NOT for (i = 0; i < room && place; i++) { \
            if (kind == POST_SEND) fill_send(&r->items[i], place); \
            else fill_receive(&r->items[i], place); \
            place = next_of(place, kind == POST_SEND); \
        } \
        r->record.count = i; \
        close_record(&r->record); \
    } \
    INLINE void poll_##room(u64 *ctx, u64 frame, int count) \
    { \
        struct with_##room *r = (void *)open_record(sizeof *r, ctx, frame, POLL_CQ, END); \
        u64 place = ctx[2]; \
        u32 i; \
        if (!r) return; \
        UNROLL_NOT for (i = 0; i < room && (int)i < count; i++) { \
            fill_completion(&r->items[i], (void *)place); \
            place += SIZE_OF(struct ib_wc); \
        } \
        r->record.count = i; \
        r->record.value = count; \
        close_record(&r->record); \
    }
WITH_ROOM(1)
WITH_ROOM(4)
WITH_ROOM(16)
WITH_ROOM(64)

INLINE void drop(void) { __sync_fetch_and_add(&dropped, 1); }

INLINE int post(u64 *ctx, u64 frame, int kind)
{
    u64 place = ctx[1];
    u32 count = 0;
    UNROLL_NOT for (; count <= MOST_ITEMS && place; count++) place = next_of(place, kind == POST_SEND);
    if (count <= 1) post_1(ctx, frame, kind);
    else if (count <= 4) post_4(ctx, frame, kind);
    else if (count <= 16) post_16(ctx, frame, kind);
    else if (count <= MOST_ITEMS) post_64(ctx, frame, kind);
    else drop();
    return 0;
}

INLINE int polled(u64 *ctx, u64 frame)
{
    int count = (int)ctx[3];
    if (count <= 0) {
        struct record *r = open_record(sizeof *r, ctx, frame, POLL_CQ, END);
        if (!r) return 0;
        r->value = count;
        close_record(r);
    } else if (count == 1) poll_1(ctx, frame, count);
    else if (count <= 4) poll_4(ctx, frame, count);
    else if (count <= 16) poll_16(ctx, frame, count);
    else if (count <= MOST_ITEMS) poll_64(ctx, frame, count);
    else drop();
    return 0;
}

/* The end of a post says where it stopped. Its third argument is a pointer to a pointer, which older verifiers do not allow to load: it is read from the frame. */
INLINE void stopped(struct record *r, u64 *ctx)
{
    u64 place = 0, bad = 0;
    r->value = (int)ctx[3];
    if (r->value) {
        bpf_probe_read_kernel(&place, sizeof place, (void *)(r->frame + 2 * sizeof *ctx));
        bpf_probe_read_kernel(&bad, sizeof bad, (void *)place);
    }
    r->args[0] = bad;
}

#define POST(name, KIND, OURS) \
    SECTION("fentry/" #name) int name##_entry(u64 *ctx) \
    { \
        u64 frame = frame_of(ctx); \
        return !enabled || is_duplicate(frame, BEGIN) || !OURS((void *)ctx[0]) ? 0 : post(ctx, frame, KIND); \
    } \
    HALF(name, KIND, exit, END, OURS, stopped(r, ctx))
POST(post_send, POST_SEND, is_our_qp)
POST(post_recv, POST_RECV, is_our_qp)
POST(post_srq_recv, POST_SRQ_RECV, is_our_srq)

HALF(poll_cq, POLL_CQ, entry, BEGIN, is_our_cq, r->value = (int)ctx[1])
SECTION("fexit/poll_cq") int poll_cq_exit(u64 *ctx)
{
    u64 frame = frame_of(ctx);
    return !enabled || is_duplicate(frame, END) || !is_our_cq((void *)ctx[0]) ? 0 : polled(ctx, frame);
}

//go:build linux && cgo && ibverbs

package verbs

/*
#include "shim.h"
*/
import "C"

import (
	"fmt"
	"sync"
	"unsafe"

	"ndkoracle/trace"
)

// QP is struct ibv_qp, of type IBV_QPT_RC.
type QP struct {
	Name    string // in the trace
	Num     uint32
	context *Context

	mutex    sync.Mutex // one call at a time
	c        *C.struct_ibv_qp
	thread   *trace.Thread
	sends    []C.struct_send_request
	receives []C.struct_receive_request
	sges     []C.struct_ibv_sge
	wrs      []trace.WorkRequest
}

// CreateQP is ibv_create_qp.
func (p *PD) CreateQP(sendCQ, recvCQ *CQ, a QPInitAttr) (*QP, error) {
	x := p.context
	q := &QP{Name: x.newName("qp"), context: x}
	q.thread = x.recorder.Thread(q.Name)
	send, recv, all := int64(a.MaxSendWR), int64(a.MaxRecvWR), false
	op := q.thread.Call(trace.Event{
		Fn: "ibv_create_qp", Qp: q.Name, InitiatorCq: sendCQ.Name, ReceiveCq: recvCQ.Name,
		InitiatorDepth: &send, ReceiveDepth: &recv, SqSigAll: &all, QpType: "RC",
	})
	attr := C.struct_ibv_qp_init_attr{
		send_cq: sendCQ.c, recv_cq: recvCQ.c, qp_type: C.IBV_QPT_RC,
		cap: C.struct_ibv_qp_cap{
			max_send_wr: C.uint32_t(a.MaxSendWR), max_recv_wr: C.uint32_t(a.MaxRecvWR),
			max_send_sge: C.uint32_t(a.MaxSendSGE), max_recv_sge: C.uint32_t(a.MaxRecvSGE),
			max_inline_data: C.uint32_t(a.MaxInlineData),
		},
	}
	var errno error
	q.c, errno = C.ibv_create_qp(p.c, &attr)
	if q.c == nil {
		err := failed("ibv_create_qp", errno)
		q.thread.Ret(op, trace.Event{Fn: "ibv_create_qp", Qp: q.Name, Errno: errnoName(err.Errno)})
		return nil, err
	}
	q.thread.Ret(op, trace.Event{Fn: "ibv_create_qp", Qp: q.Name})
	q.Num = uint32(q.c.qp_num)
	x.mutex.Lock()
	defer x.mutex.Unlock()
	x.objects[unsafe.Pointer(q.c)] = q.Name
	x.qps[q.Num] = q.Name
	return q, nil
}

// The timing of a connection: an answer is awaited 4.096 µs · 2^16 = 0.27 s and asked for seven times more; a receiver
// without a receive is asked again after 0.64 ms, for ever.
const (
	ackTimeout    = 16
	retryCount    = 7
	minRnrTimer   = 12
	rnrRetryCount = 7
)

// ToInit moves a new QP to IBV_QPS_INIT, after which receives can be posted. access is what peers may be given.
func (q *QP) ToInit(access Access) error {
	attr := C.struct_ibv_qp_attr{qp_state: C.IBV_QPS_INIT, port_num: port, qp_access_flags: C.uint(access)}
	return q.modify(&attr, IBV_QPS_INIT, C.IBV_QP_STATE|C.IBV_QP_PKEY_INDEX|C.IBV_QP_PORT|C.IBV_QP_ACCESS_FLAGS, "")
}

// Connect moves the QP to IBV_QPS_RTR and IBV_QPS_RTS: it receives from, and sends to, the peer. Both QPs of a
// connection name it the same in the trace. reads is how many reads and atomics each side may have outstanding.
func (q *QP) Connect(peer Address, connection string, reads int) error {
	p, err := q.context.findPort()
	if err != nil {
		return err
	}
	attr := C.struct_ibv_qp_attr{
		qp_state: C.IBV_QPS_RTR, path_mtu: p.mtu, dest_qp_num: C.uint32_t(peer.QPNum),
		max_dest_rd_atomic: C.uint8_t(reads), min_rnr_timer: minRnrTimer,
	}
	attr.ah_attr.port_num = port
	attr.ah_attr.dlid = C.uint16_t(peer.LID)
	if p.ethernet {
		attr.ah_attr.is_global = 1
		attr.ah_attr.grh.hop_limit = 64
		attr.ah_attr.grh.sgid_index = C.uint8_t(p.gidIndex)
		*(*[16]byte)(unsafe.Pointer(&attr.ah_attr.grh.dgid)) = peer.GID
	}
	mask := C.IBV_QP_STATE | C.IBV_QP_AV | C.IBV_QP_PATH_MTU | C.IBV_QP_DEST_QPN | C.IBV_QP_RQ_PSN |
		C.IBV_QP_MAX_DEST_RD_ATOMIC | C.IBV_QP_MIN_RNR_TIMER
	if err := q.modify(&attr, IBV_QPS_RTR, mask, connection); err != nil {
		return err
	}
	attr = C.struct_ibv_qp_attr{
		qp_state: C.IBV_QPS_RTS, timeout: ackTimeout, retry_cnt: retryCount, rnr_retry: rnrRetryCount,
		max_rd_atomic: C.uint8_t(reads),
	}
	mask = C.IBV_QP_STATE | C.IBV_QP_TIMEOUT | C.IBV_QP_RETRY_CNT | C.IBV_QP_RNR_RETRY | C.IBV_QP_SQ_PSN |
		C.IBV_QP_MAX_QP_RD_ATOMIC
	return q.modify(&attr, IBV_QPS_RTS, mask, "")
}

// ToError moves the QP to IBV_QPS_ERR: every request that has not completed is flushed.
func (q *QP) ToError() error {
	attr := C.struct_ibv_qp_attr{qp_state: C.IBV_QPS_ERR}
	return q.modify(&attr, IBV_QPS_ERR, C.IBV_QP_STATE, "")
}

func (q *QP) modify(attr *C.struct_ibv_qp_attr, state QPState, mask int, connection string) error {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	op := q.thread.Call(trace.Event{Fn: "ibv_modify_qp", Qp: q.Name, State: state.String(), Conn: connection})
	err := errnoOf("ibv_modify_qp", C.ibv_modify_qp(q.c, attr, C.int(mask)))
	q.thread.Ret(op, trace.Event{Fn: "ibv_modify_qp", Qp: q.Name, Errno: errnoText(err)})
	return err
}

// Address returns where the QP can be reached.
func (q *QP) Address() (Address, error) {
	p, err := q.context.findPort()
	return Address{QPNum: q.Num, LID: p.lid, GID: p.gid}, err
}

// PostSend posts the requests with one ibv_post_send. It returns how many were accepted: where that is less than all,
// bad_wr is the next one and the error says why.
func (q *QP) PostSend(requests []SendWR) (int, error) {
	if len(requests) == 0 {
		return 0, nil
	}
	q.mutex.Lock()
	defer q.mutex.Unlock()
	q.sends, q.sges = q.sends[:0], q.sges[:0]
	for i := range requests {
		r := &requests[i]
		request := C.struct_send_request{
			wr_id: C.uint64_t(r.WRID), opcode: C.uint32_t(r.Opcode), send_flags: C.uint32_t(r.Flags),
			num_sge: C.uint32_t(len(r.SGList)), rkey: C.uint32_t(r.RKey), remote_addr: C.uint64_t(r.RemoteAddr),
		}
		if r.Opcode == IBV_WR_BIND_MW {
			request.mw = (*C.struct_ibv_mw)(r.Bind.MW.c)
			request.mr = (*C.struct_ibv_mr)(r.Bind.MR.c)
			request.rkey = C.uint32_t(r.Bind.RKey)
			request.bind_addr, request.bind_length = C.uint64_t(r.Bind.Addr), C.uint64_t(r.Bind.Length)
			request.bind_access = C.uint32_t(r.Bind.Access)
		}
		q.sends = append(q.sends, request)
		q.addSGEs(r.SGList)
	}
	var op trace.Op
	if q.thread != nil {
		op = q.thread.Call(trace.Event{Fn: "ibv_post_send", Qp: q.Name, Wrs: q.recordSends(requests)})
	}
	var posted C.int
	result := C.post_send(q.c, &q.sends[0], unsafe.SliceData(q.sges), C.int(len(requests)), &posted)
	err := errnoOf("ibv_post_send", result)
	for i := range requests[:posted] {
		if requests[i].Opcode == IBV_WR_BIND_MW {
			requests[i].Bind.MW.RKey = requests[i].Bind.RKey
		}
	}
	ret := trace.Event{Fn: "ibv_post_send", Qp: q.Name, Errno: errnoText(err)}
	if int(posted) < len(requests) {
		ret.BadWr = wrName(requests[posted].WRID)
	}
	q.thread.Ret(op, ret)
	return int(posted), err
}

// PostRecv posts the receives with one ibv_post_recv, and answers as PostSend does.
func (q *QP) PostRecv(requests []RecvWR) (int, error) {
	if len(requests) == 0 {
		return 0, nil
	}
	q.mutex.Lock()
	defer q.mutex.Unlock()
	q.receives, q.sges = q.receives[:0], q.sges[:0]
	for _, r := range requests {
		q.receives = append(q.receives, C.struct_receive_request{
			wr_id: C.uint64_t(r.WRID), num_sge: C.uint32_t(len(r.SGList)),
		})
		q.addSGEs(r.SGList)
	}
	var op trace.Op
	if q.thread != nil {
		q.wrs = q.wrs[:0]
		for _, r := range requests {
			q.wrs = append(q.wrs, trace.WorkRequest{Wr: wrName(r.WRID), Bytes: lengthOf(r.SGList)})
		}
		op = q.thread.Call(trace.Event{Fn: "ibv_post_recv", Qp: q.Name, Wrs: q.wrs})
	}
	var posted C.int
	result := C.post_recv(q.c, &q.receives[0], unsafe.SliceData(q.sges), C.int(len(requests)), &posted)
	err := errnoOf("ibv_post_recv", result)
	ret := trace.Event{Fn: "ibv_post_recv", Qp: q.Name, Errno: errnoText(err)}
	if int(posted) < len(requests) {
		ret.BadWr = wrName(requests[posted].WRID)
	}
	q.thread.Ret(op, ret)
	return int(posted), err
}

func (q *QP) addSGEs(list []SGE) {
	for _, e := range list {
		q.sges = append(q.sges, C.struct_ibv_sge{
			addr: C.uint64_t(e.Addr), length: C.uint32_t(e.Length), lkey: C.uint32_t(e.LKey),
		})
	}
}

func (q *QP) recordSends(requests []SendWR) []trace.WorkRequest {
	q.wrs = q.wrs[:0]
	for i := range requests {
		r := &requests[i]
		w := trace.WorkRequest{Wr: wrName(r.WRID), Opcode: r.Opcode.String(), Flags: r.Flags.Names()}
		switch r.Opcode {
		case IBV_WR_LOCAL_INV:
			w.Token = &r.RKey
		case IBV_WR_SEND_WITH_INV:
			w.Token, w.Bytes = &r.RKey, lengthOf(r.SGList)
		case IBV_WR_BIND_MW:
			w.Token, w.Mw = &r.Bind.RKey, r.Bind.MW.Name
		default:
			w.Bytes = lengthOf(r.SGList)
		}
		q.wrs = append(q.wrs, w)
	}
	return q.wrs
}

// Destroy is ibv_destroy_qp. What has not completed never does.
func (q *QP) Destroy() error {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	op := q.thread.Call(trace.Event{Fn: "ibv_destroy_qp", Qp: q.Name})
	c := unsafe.Pointer(q.c)
	err := errnoOf("ibv_destroy_qp", C.ibv_destroy_qp(q.c))
	q.thread.Ret(op, trace.Event{Fn: "ibv_destroy_qp", Qp: q.Name, Errno: errnoText(err)})
	if err != nil {
		return err
	}
	q.context.mutex.Lock()
	defer q.context.mutex.Unlock()
	delete(q.context.objects, c)
	return nil
}

const port = 1

// portInfo says how this end of a connection is addressed.
type portInfo struct {
	lid      uint16
	mtu      uint32
	ethernet bool
	gidIndex int
	gid      [16]byte
}

// findPort queries the port. On Ethernet it takes the GID of an IPv4 address where there is one: the first GID of the
// table is a link-local one, which not every network carries.
func (x *Context) findPort() (portInfo, error) {
	var lid C.uint16_t
	var mtu, active, ethernet C.int
	if err := errnoOf("ibv_query_port", C.port_info(x.c, port, &lid, &mtu, &active, &ethernet)); err != nil {
		return portInfo{}, err
	}
	if active == 0 {
		return portInfo{}, fmt.Errorf("port %d is not active: is its cable in, and its network interface up?", port)
	}
	p := portInfo{lid: uint16(lid), mtu: uint32(mtu), ethernet: ethernet != 0}
	if !p.ethernet {
		return p, nil
	}
	found := false
	for i := 0; i < 256; i++ {
		var gid C.union_ibv_gid
		if C.ibv_query_gid(x.c, port, C.int(i), &gid) != 0 {
			break
		}
		bytes := [16]byte(gid)
		if bytes == [16]byte{} {
			continue
		}
		if ipv4 := isIPv4(bytes); ipv4 || !found {
			p.gidIndex, p.gid, found = i, bytes, true
			if ipv4 {
				break
			}
		}
	}
	if !found {
		return p, fmt.Errorf("port %d has no GID: does its network interface have an address?", port)
	}
	return p, nil
}

func isIPv4(gid [16]byte) bool {
	return [12]byte(gid[:12]) == [12]byte{10: 0xff, 11: 0xff}
}

// Package hwbinding is a provider of NDKPI on any device of libibverbs.
//
// It keeps the whole contract, and mends in software what verbs, or a device's verbs, do differently:
//
//   - Completions are taken from the device into a queue in memory, the shadow, as soon as somebody looks: NdkArmCq, a
//     poll, an event, the watchdog. The shadow holds what the contract says of a CQ: how many entries are fresh, the
//     merged arm, owed callbacks, the depth that was asked for. So an arm with fresh entries present is satisfied at
//     once (ARM-04), which ibv_req_notify_cq never does, and ERRORS arms exist.
//   - A SOLICITED arm is armed in the device solicited-only, so that a device wakes nobody for what is not wanted. A
//     device may then be silent about failed completions (Soft-RoCE of Linux 6.12 is), which must satisfy the arm
//     (ARM-11). A watchdog finds them: see cq.watch.
//   - A completion does not say whether its sender asked for an event, nor do all devices say which token it made
//     invalid. Both ends of every connection are in this process, and a connection delivers in order, so each end tells
//     the other what it sends: see lane.
//   - Deferred requests are kept and posted as one list (DEF-02). One that the device refuses after NdkSend has accepted
//     it still completes, in its place, with a failure.
//   - A device may fail a request, and call it flushed, or be harmed by a token that is made invalid twice (Soft-RoCE of
//     Linux 6.12 does the one, and stops the kernel at the other). See adapter.completed and lane.claim.
//   - Silent requests are unsignalled, with one signalled here and there to free their places in the send queue.
//   - A failed request, which puts the QP into its error state, has the provider put it there once more: a receive that
//     was posted meanwhile is flushed too, on devices that would forget it.
//
// There is no NdkFastRegister: user space can't. NdkBind, NdkInvalidate and NdkSendAndInvalidate are supported where the
// device has memory windows of type 2 and IBV_WR_SEND_WITH_INV.
//
// Seen from outside, calls on one adapter happen one after the other, under one lock; callbacks run without it.
//
// # Building
//
// The device's half needs Linux, cgo and libibverbs (Debian: libibverbs-dev, ibverbs-providers), and is compiled only
// with the build tag ibverbs: the Makefile sets it where the headers are. Built without it, Open and Devices return an
// error that says so.
package hwbinding

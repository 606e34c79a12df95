/* Written by go generate ./internal/cheader from the table of functions: do not edit. */

/* of each class: where the id of a request or a call is in its first slot, or 0; whether its further slots begin with one; where its fields end */
typedef struct ndkt_class { unsigned char id, list, end; } ndkt_class;
static const ndkt_class ndkt_classes[] = {
    {0, 0, 0}, /*   */
    {0, 0, 0}, /*   */
    {0, 0, 0}, /*   */
    {0, 0, 0}, /*   */
    {0, 0, 0}, /*   */
    {0, 0, 0}, /*   */
    {0, 0, 0}, /*   */
    {0, 0, 0}, /*   */
    {0, 0, 0}, /*   */
    {0, 0, 0}, /*   */
    {0, 0, 0}, /*   */
    {0, 0, 0}, /*   */
    {0, 0, 0}, /*   */
    {0, 0, 0}, /*   */
    {0, 0, 0}, /*   */
    {0, 0, 0}, /*   */
    {0, 0, 44}, /* NdkOpenAdapter call */
    {0, 0, 48}, /* NdkOpenAdapter ret */
    {0, 0, 44}, /* NdkQueryAdapterInfo call */
    {0, 0, 48}, /* NdkQueryAdapterInfo ret */
    {0, 0, 44}, /* NdkCloseAdapter call */
    {0, 0, 44}, /* NdkCloseAdapter ret */
    {0, 0, 44}, /* NdkQueryExtension call */
    {0, 0, 48}, /* NdkQueryExtension ret */
    {0, 0, 48}, /* NdkCreatePd call */
    {0, 0, 52}, /* NdkCreatePd ret */
    {0, 0, 44}, /* NdkClosePd call */
    {0, 0, 48}, /* NdkClosePd ret */
    {0, 0, 44}, /* NdkGetPrivilegedMemoryRegionToken call */
    {0, 0, 48}, /* NdkGetPrivilegedMemoryRegionToken ret */
    {0, 0, 56}, /* NdkBuildLAM call */
    {0, 0, 52}, /* NdkBuildLAM ret */
    {0, 0, 44}, /* NdkReleaseLAM call */
    {0, 0, 44}, /* NdkReleaseLAM ret */
    {0, 0, 48}, /* NdkCreateConnector call */
    {0, 0, 52}, /* NdkCreateConnector ret */
    {0, 0, 52}, /* NdkCloseConnector call */
    {0, 0, 56}, /* NdkCloseConnector ret */
    {0, 0, 44}, /* NdkReject call */
    {0, 0, 48}, /* NdkReject ret */
    {0, 0, 44}, /* NdkGetConnectionData call */
    {0, 0, 48}, /* NdkGetConnectionData ret */
    {0, 0, 44}, /* NdkGetPeerAddress call */
    {0, 0, 48}, /* NdkGetPeerAddress ret */
    {0, 0, 48}, /* NdkCreateListener call */
    {0, 0, 52}, /* NdkCreateListener ret */
    {0, 0, 44}, /* NdkCloseListener call */
    {0, 0, 48}, /* NdkCloseListener ret */
    {0, 0, 44}, /* NdkListen call */
    {0, 0, 48}, /* NdkListen ret */
    {0, 0, 44}, /* NdkGetListenerLocalAddress call */
    {0, 0, 48}, /* NdkGetListenerLocalAddress ret */
    {0, 0, 44}, /* NdkControlConnectEvents call */
    {0, 0, 48}, /* NdkControlConnectEvents ret */
    {0, 0, 48}, /* NdkCreateSharedEndpoint call */
    {0, 0, 52}, /* NdkCreateSharedEndpoint ret */
    {0, 0, 44}, /* NdkCloseSharedEndpoint call */
    {0, 0, 48}, /* NdkCloseSharedEndpoint ret */
    {0, 0, 44}, /* NdkGetSharedEndpointLocalAddress call */
    {0, 0, 48}, /* NdkGetSharedEndpointLocalAddress ret */
    {0, 0, 52}, /* NdkGetLocalAddress call */
    {0, 0, 56}, /* NdkGetLocalAddress ret */
    {0, 0, 52}, /* NdkCreateCq call */
    {0, 0, 52}, /* NdkCreateCq ret */
    {0, 0, 48}, /* NdkResizeCq call */
    {0, 0, 48}, /* NdkResizeCq ret */
    {0, 0, 44}, /* NdkControlCqInterruptModeration call */
    {0, 0, 48}, /* NdkControlCqInterruptModeration ret */
    {0, 0, 44}, /* NdkCloseCq call */
    {0, 0, 48}, /* NdkCloseCq ret */
    {0, 0, 48}, /* NdkArmCq call */
    {0, 0, 44}, /* NdkArmCq ret */
    {0, 0, 48}, /* NdkGetCqResults call */
    {0, 1, 64}, /* NdkGetCqResults ret */
    {0, 0, 48}, /* NdkGetCqResultsEx call */
    {0, 1, 64}, /* NdkGetCqResultsEx ret */
    {0, 0, 64}, /* NdkCreateQp call */
    {0, 0, 64}, /* NdkCreateQp ret */
    {0, 0, 64}, /* NdkCreateQpWithSrq call */
    {0, 0, 64}, /* NdkCreateQpWithSrq ret */
    {0, 0, 52}, /* NdkConnect call */
    {0, 0, 56}, /* NdkConnect ret */
    {0, 0, 52}, /* NdkAccept call */
    {0, 0, 56}, /* NdkAccept ret */
    {0, 0, 52}, /* NdkAcceptEx call */
    {0, 0, 56}, /* NdkAcceptEx ret */
    {0, 0, 52}, /* NdkCompleteConnect call */
    {0, 0, 56}, /* NdkCompleteConnect ret */
    {0, 0, 52}, /* NdkCompleteConnectEx call */
    {0, 0, 56}, /* NdkCompleteConnectEx ret */
    {0, 0, 56}, /* NdkConnectWithSharedEndpoint call */
    {0, 0, 60}, /* NdkConnectWithSharedEndpoint ret */
    {0, 0, 52}, /* NdkDisconnect call */
    {0, 0, 56}, /* NdkDisconnect ret */
    {0, 0, 44}, /* NdkFlush call */
    {0, 0, 48}, /* NdkFlush ret */
    {0, 0, 44}, /* NdkCloseQp call */
    {0, 0, 48}, /* NdkCloseQp ret */
    {48, 0, 64}, /* NdkReceive call */
    {0, 0, 48}, /* NdkReceive ret */
    {48, 0, 64}, /* NdkSend call */
    {0, 0, 48}, /* NdkSend ret */
    {48, 0, 64}, /* NdkWrite call */
    {0, 0, 48}, /* NdkWrite ret */
    {48, 0, 64}, /* NdkRead call */
    {0, 0, 48}, /* NdkRead ret */
    {48, 0, 64}, /* NdkSendAndInvalidate call */
    {0, 0, 48}, /* NdkSendAndInvalidate ret */
    {48, 0, 64}, /* NdkFastRegister call */
    {0, 0, 56}, /* NdkFastRegister ret */
    {48, 0, 64}, /* NdkBind call */
    {0, 0, 60}, /* NdkBind ret */
    {48, 0, 64}, /* NdkInvalidate call */
    {0, 0, 56}, /* NdkInvalidate ret */
    {0, 0, 56}, /* NdkCreateSrq call */
    {0, 0, 52}, /* NdkCreateSrq ret */
    {0, 0, 48}, /* NdkModifySrq call */
    {0, 0, 48}, /* NdkModifySrq ret */
    {0, 0, 44}, /* NdkCloseSrq call */
    {0, 0, 48}, /* NdkCloseSrq ret */
    {48, 0, 64}, /* NdkSrqReceive call */
    {0, 0, 48}, /* NdkSrqReceive ret */
    {0, 0, 48}, /* NdkCreateMr call */
    {0, 0, 52}, /* NdkCreateMr ret */
    {0, 0, 56}, /* NdkRegisterMr call */
    {0, 0, 48}, /* NdkRegisterMr ret */
    {0, 0, 44}, /* NdkInitializeFastRegisterMr call */
    {0, 0, 48}, /* NdkInitializeFastRegisterMr ret */
    {0, 0, 44}, /* NdkDeregisterMr call */
    {0, 0, 48}, /* NdkDeregisterMr ret */
    {0, 0, 44}, /* NdkCloseMr call */
    {0, 0, 48}, /* NdkCloseMr ret */
    {0, 0, 44}, /* NdkGetLocalTokenFromMr call */
    {0, 0, 48}, /* NdkGetLocalTokenFromMr ret */
    {0, 0, 44}, /* NdkGetRemoteTokenFromMr call */
    {0, 0, 48}, /* NdkGetRemoteTokenFromMr ret */
    {0, 0, 48}, /* NdkCreateMw call */
    {0, 0, 52}, /* NdkCreateMw ret */
    {0, 0, 44}, /* NdkCloseMw call */
    {0, 0, 48}, /* NdkCloseMw ret */
    {0, 0, 44}, /* NdkGetRemoteTokenFromMw call */
    {0, 0, 48}, /* NdkGetRemoteTokenFromMw ret */
    {0, 0, 48}, /* NdkCqNotificationCallback enter */
    {0, 0, 44}, /* NdkCqNotificationCallback exit */
    {0, 0, 48}, /* NdkSrqNotificationCallback enter */
    {0, 0, 44}, /* NdkSrqNotificationCallback exit */
    {0, 0, 48}, /* NdkConnectEventCallback enter */
    {0, 0, 48}, /* NdkConnectEventCallback exit */
    {0, 0, 52}, /* NdkDisconnectEventCallback enter */
    {0, 0, 52}, /* NdkDisconnectEventCallback exit */
    {0, 0, 52}, /* NdkDisconnectEventCallbackEx enter */
    {0, 0, 52}, /* NdkDisconnectEventCallbackEx exit */
    {40, 0, 52}, /* NdkCreateCompletion enter */
    {0, 0, 40}, /* NdkCreateCompletion exit */
    {40, 0, 52}, /* NdkRequestCompletion enter */
    {0, 0, 40}, /* NdkRequestCompletion exit */
    {40, 0, 48}, /* NdkCloseCompletion enter */
    {0, 0, 40}, /* NdkCloseCompletion exit */
    {0, 0, 44}, /* ibv_open_device call */
    {0, 0, 48}, /* ibv_open_device ret */
    {0, 0, 44}, /* ibv_close_device call */
    {0, 0, 48}, /* ibv_close_device ret */
    {0, 0, 44}, /* ibv_query_device call */
    {0, 0, 48}, /* ibv_query_device ret */
    {0, 0, 44}, /* ibv_query_port call */
    {0, 0, 48}, /* ibv_query_port ret */
    {0, 0, 48}, /* ibv_alloc_pd call */
    {0, 0, 52}, /* ibv_alloc_pd ret */
    {0, 0, 44}, /* ibv_dealloc_pd call */
    {0, 0, 48}, /* ibv_dealloc_pd ret */
    {0, 0, 48}, /* ibv_create_comp_channel call */
    {0, 0, 52}, /* ibv_create_comp_channel ret */
    {0, 0, 44}, /* ibv_destroy_comp_channel call */
    {0, 0, 48}, /* ibv_destroy_comp_channel ret */
    {0, 0, 56}, /* ibv_reg_mr call */
    {0, 0, 52}, /* ibv_reg_mr ret */
    {0, 0, 44}, /* ibv_dereg_mr call */
    {0, 0, 48}, /* ibv_dereg_mr ret */
    {0, 0, 48}, /* ibv_alloc_mw call */
    {0, 0, 52}, /* ibv_alloc_mw ret */
    {0, 0, 44}, /* ibv_dealloc_mw call */
    {0, 0, 48}, /* ibv_dealloc_mw ret */
    {48, 0, 60}, /* ibv_bind_mw call */
    {0, 0, 60}, /* ibv_bind_mw ret */
    {0, 0, 56}, /* ibv_create_cq call */
    {0, 0, 60}, /* ibv_create_cq ret */
    {0, 0, 56}, /* ibv_create_cq_ex call */
    {0, 0, 60}, /* ibv_create_cq_ex ret */
    {0, 0, 48}, /* ibv_resize_cq call */
    {0, 0, 52}, /* ibv_resize_cq ret */
    {0, 0, 44}, /* ibv_destroy_cq call */
    {0, 0, 48}, /* ibv_destroy_cq ret */
    {0, 0, 48}, /* ibv_req_notify_cq call */
    {0, 0, 48}, /* ibv_req_notify_cq ret */
    {0, 0, 48}, /* ibv_poll_cq call */
    {0, 1, 64}, /* ibv_poll_cq ret */
    {0, 0, 44}, /* ibv_get_cq_event call */
    {0, 0, 52}, /* ibv_get_cq_event ret */
    {0, 0, 48}, /* ibv_ack_cq_events call */
    {0, 0, 44}, /* ibv_ack_cq_events ret */
    {0, 0, 64}, /* ibv_create_qp call */
    {0, 0, 64}, /* ibv_create_qp ret */
    {0, 0, 64}, /* ibv_create_qp_ex call */
    {0, 0, 64}, /* ibv_create_qp_ex ret */
    {0, 0, 52}, /* ibv_modify_qp call */
    {0, 0, 52}, /* ibv_modify_qp ret */
    {0, 0, 44}, /* ibv_query_qp call */
    {0, 0, 48}, /* ibv_query_qp ret */
    {0, 0, 44}, /* ibv_destroy_qp call */
    {0, 0, 48}, /* ibv_destroy_qp ret */
    {0, 1, 64}, /* ibv_post_send call */
    {48, 0, 56}, /* ibv_post_send ret */
    {0, 1, 64}, /* ibv_post_recv call */
    {48, 0, 56}, /* ibv_post_recv ret */
    {0, 0, 48}, /* ibv_create_srq call */
    {0, 0, 52}, /* ibv_create_srq ret */
    {0, 0, 48}, /* ibv_create_srq_ex call */
    {0, 0, 52}, /* ibv_create_srq_ex ret */
    {0, 0, 44}, /* ibv_destroy_srq call */
    {0, 0, 48}, /* ibv_destroy_srq ret */
    {0, 1, 64}, /* ibv_post_srq_recv call */
    {48, 0, 56}, /* ibv_post_srq_recv ret */
    {0, 0, 44}, /* ibv_get_async_event call */
    {0, 0, 64}, /* ibv_get_async_event ret */
    {0, 0, 40}, /* ibv_ack_async_event call */
    {0, 0, 40}, /* ibv_ack_async_event ret */
    {48, 0, 60}, /* CqePlaced point */
    {0, 0, 0}, /*   */
    {48, 0, 56}, /* HwIndicate point */
    {0, 0, 0}, /*   */
    {0, 0, 40}, /* quiesce point */
    {0, 0, 0}, /*   */
    {0, 0, 44}, /* comp_handler enter */
    {0, 0, 44}, /* comp_handler exit */
};

static const unsigned char ndkt_uuid[16] = {0x3c, 0x1d, 0x5e, 0x0b, 0x9a, 0x4f, 0x4e, 0x6b, 0x8d, 0x27, 0x6e, 0x64, 0x6b, 0x74, 0x72, 0x31};

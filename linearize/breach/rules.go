package breach

// The rules that are named here, by what breaks them.
const (
	// a notification callback
	unarmed   = "ARM-01"
	armUsedUp = "ARM-02"
	neglected = "ARM-03"
	overdue   = "ARM-04"
	merged    = "ARM-07"
	forErrors = "ARM-08"
	forAny    = "ARM-09"
	solicited = "ARM-10"
	forFailed = "ARM-11"
	forPlain  = "ARM-12"
	overflow  = "ARM-16"
	reported  = "ARM-17"
	ofClosed  = "ARM-20"
	forNone   = "ARM-21"

	// a poll, or a point
	tooMany    = "POLL-02"
	passedOver = "POLL-03"
	again      = "POLL-04"
	impossible = "POLL-05" // it is placed, or a message received, at a time at which that cannot be
	outOfOrder = "POLL-09"

	// a completion that is there, or is not
	ofRefused     = "DEF-03"
	inTheEnd      = "DEF-04"
	ofChain       = "DEF-05"
	silentFound   = "FLAG-01"
	silentFailed  = "FLAG-02"
	flushed       = "FLUSH-02"
	afterClose    = "LIFE-07"
	typeOfResult  = "RES-02"
	tokenOfResult = "RES-03"
	byResize      = "RSZ-02"
	ofResize      = "RSZ-03"

	// a connection, or the lack of one
	deadToken        = "POLL-08"
	deadTokenOfPlain = "POLL-07" // a dead token whose end NdkGetCqResults delivered
	atFlush          = "FLUSH-01"
	uncaused         = "RES-10"
)

// The rules of a connection that package monitor also decides, from polls and posts.
const (
	BadToken       = "INV-05"   // nothing succeeds behind a message whose token was not valid
	OfErrorState   = "FLUSH-06" // nor in the error state of a queue pair
	NeedConnection = "POST-08"  // a request is accepted, and succeeds, on a queue pair that is connected
	OwnError       = "RES-11"   // a request that breaks its queue pair tells its own error
)

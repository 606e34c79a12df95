#include "textflag.h"

// entry keeps what fcntl(1, F_GETFD) says, and goes on where a program of Go begins.
TEXT ·entry(SB),NOSPLIT|NOFRAME,$0
	MOVD $1, R0
	MOVD $1, R1 // F_GETFD
	MOVD $0, R2
	MOVD $25, R8 // fcntl
	SVC
	MOVD R0, ·stdout(SB)
	B _rt0_arm64_linux(SB)

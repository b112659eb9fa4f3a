package main

import "syscall"

// The call has a different name on each architecture.
const sysFstatat = syscall.SYS_FSTATAT

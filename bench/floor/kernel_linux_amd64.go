package main

import "syscall"

// The call has another name on every machine.
const sysFstatat = syscall.SYS_NEWFSTATAT

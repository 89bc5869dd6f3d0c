package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"syscall"
)

// limited runs a program, and what it starts, with bounded address space and file
// size in bytes, in a process group that dies as a whole.
func limited(ctx context.Context, memory, file int64, binary string, args ...string) *exec.Cmd {
	script := fmt.Sprintf(`ulimit -c 0; ulimit -f %d; ulimit -v %d; exec "$0" "$@"`, file/512, memory/1024)
	cmd := exec.CommandContext(ctx, "/bin/sh", append([]string{"-c", script, binary}, args...)...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	return cmd
}

// cutNetwork gives the program a network name space with nothing in it.
func cutNetwork(cmd *exec.Cmd) {
	a := cmd.SysProcAttr
	a.Cloneflags |= syscall.CLONE_NEWUSER | syscall.CLONE_NEWNET
	a.UidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getuid(), HostID: os.Getuid(), Size: 1}}
	a.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getgid(), HostID: os.Getgid(), Size: 1}}
}

// canCutNetwork tries it.
func canCutNetwork() bool {
	cmd := limited(context.Background(), 1<<30, 0, "/bin/true")
	cutNetwork(cmd)
	return cmd.Run() == nil
}

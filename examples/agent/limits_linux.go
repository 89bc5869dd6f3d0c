package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"syscall"
)

// limited runs a program with bounded address space and file size, in a process
// group of its own.
func limited(ctx context.Context, memory int64, binary string, args ...string) *exec.Cmd {
	script := fmt.Sprintf(`ulimit -c 0; ulimit -f 2048; ulimit -v %d; exec "$0" "$@"`, memory/1024)
	cmd := exec.CommandContext(ctx, "/bin/sh", append([]string{"-c", script, binary}, args...)...)
	grouped(cmd)
	return cmd
}

// grouped puts a command into a process group that dies as a whole.
func grouped(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
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
	cmd := limited(context.Background(), 1<<30, "/bin/true")
	cutNetwork(cmd)
	return cmd.Run() == nil
}

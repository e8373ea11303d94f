// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package machine

import (
	"fmt"
	"syscall"
)

// kinds are file systems by the number that the kernel knows them by: those that
// matter, and those that are common.
func kinds() map[uint32]space {
	return map[uint32]space{
		0x6969: {kind: "NFS", shared: true}, 0x517b: {kind: "SMB", shared: true}, 0xff534d42: {kind: "CIFS", shared: true},
		0xfe534d42: {kind: "SMB2", shared: true}, 0x01021997: {kind: "9P", shared: true}, 0x73757245: {kind: "Coda", shared: true},
		0x5346414f: {kind: "AFS", shared: true}, 0x00c36400: {kind: "Ceph", shared: true}, 0x0bd00bd0: {kind: "Lustre", shared: true},
		0x47504653: {kind: "GPFS", shared: true}, 0x01161970: {kind: "GFS2", shared: true}, 0x7461636f: {kind: "OCFS2", shared: true},
		0x01021994: {kind: "tmpfs", forgetful: true}, 0x858458f6: {kind: "ramfs", forgetful: true},
		0xef53: {kind: "ext4"}, 0x58465342: {kind: "XFS"}, 0x9123683e: {kind: "Btrfs"}, 0x794c7630: {kind: "overlayfs"},
		0x2fc12fc1: {kind: "ZFS"}, 0xf2f52010: {kind: "F2FS"}, 0x65735546: {kind: "FUSE"},
	}
}

func diskOf(dir string) (space, error) {
	var st syscall.Statfs_t
	if err := syscall.Statfs(dir, &st); err != nil {
		return space{}, err
	}
	kind := uint32(uint64(st.Type)) //nolint:gosec // the kernel's numbers have 32 bits; the field's width is the machine's
	d, known := kinds()[kind]
	if !known {
		d.kind = fmt.Sprintf("file system %#x", kind)
	}
	d.free = st.Bavail * uint64(st.Bsize) //nolint:gosec // the size of a block is positive; the field's width is the machine's
	return d, nil
}

// kernelClock asks the kernel whether something keeps its clock right.
func kernelClock() (synchronised, known bool) {
	const clockError = 5 // TIME_ERROR: nothing does
	var t syscall.Timex
	state, err := syscall.Adjtimex(&t)
	return state != clockError, err == nil
}

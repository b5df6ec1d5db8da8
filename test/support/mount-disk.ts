// Mounts small disks, so that tests can fill them.

import { spawnSync } from 'node:child_process'
import { onTestFinished } from 'vitest'

/**
 * Mounts a memory disk on the folder until the end of the test. `size` is an option of tmpfs, such as `8m`. Returns
 * false if the tests don't run as root, or if the mount fails.
 */
export function mountDisk(folder: string, size: string): boolean {
  if (
    process.getuid?.() !== 0 ||
    spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder]).status !== 0
  )
    return false
  onTestFinished(() => void spawnSync('umount', [folder]))
  return true
}

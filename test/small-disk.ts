import { execFileSync } from 'node:child_process'
import { temporaryFolder } from './temporary-folder.js'

/** The beginning of a command line that runs in a mount namespace of its own. Its mounts end with it. */
export const UNSHARE = ['unshare', '--map-root-user', '--mount'] as const

/**
 * The beginning of a command line: it mounts an empty disk of memory, and runs the rest as the same process. Others reach
 * the disk at `/proc/PID/root/…`.
 *
 * @param disk path of the folder on which the disk is mounted; it is created
 * @param prepare commands of a shell that run first: `$@` is the rest of the command line. Default: none
 */
export function onSmallDisk(disk: string, megabytes: number, prepare = ''): readonly string[] {
  const mount = `mkdir -p "$0" && mount -t tmpfs -o size=${megabytes}m tmpfs "$0"`
  return [...UNSHARE, 'sh', '-ec', `${mount}; ${prepare}\nexec "$@"`, disk]
}

/** True where this process may mount a disk: on Linux, as root or with namespaces of users. */
export async function canMountDisks(): Promise<boolean> {
  const { path, remove } = await temporaryFolder()
  const [command, ...args] = [...onSmallDisk(path, 8), 'true']
  try {
    execFileSync(command, args, { stdio: 'ignore' })
    return true
  } catch {
    return false
  } finally {
    await remove()
  }
}

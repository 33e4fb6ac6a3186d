import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { FromProcess, ProcessMessage, ToProcess } from './extraction-protocol.js'

/**
 * A small process that starts and ends those in which files are read. Starting one
 * takes longer the more memory the starting process has: from a host of 2 GB, 80 ms
 * in which its event loop stands still.
 */

const CHILD = fileURLToPath(new URL('./extraction-child.js', import.meta.url))
const children = new Map<number, ChildProcess>()

process.on('message', ({ id, message }: ToProcess) => {
  if (message.type === 'start') start(id)
  else if (message.type === 'kill') children.get(id)?.kill('SIGKILL')
  // A channel that is closed is heard of by the end of the process.
  else children.get(id)?.send(message, () => undefined)
})
// The host is gone: the others see the end of their own channels.
process.on('disconnect', () => process.exit())
if (!process.connected) process.exit()
// A signal for the terminal's whole group is the host's to answer.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)

function start(id: number): void {
  const child = fork(CHILD, process.argv.slice(2), {
    execArgv: [],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  children.set(id, child)
  child.on('message', (message) => {
    tell({ id, arrival: message as ProcessMessage })
  })
  child.on('error', (error) => {
    gone(id, error.message)
  })
  child.on('exit', (code, signal) => {
    const how = signal ?? code ?? undefined
    // What it has said last may still be on its way.
    if (child.connected) child.once('disconnect', () => gone(id, how))
    else gone(id, how)
  })
}

function gone(id: number, how: string | number | undefined): void {
  if (children.delete(id)) tell({ id, arrival: { type: 'gone', how } })
}

function tell(message: FromProcess): void {
  process.send?.(message)
}

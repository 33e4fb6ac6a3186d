import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { FromProcess, ProcessMessage, ToProcess } from './extraction-protocol.js'

/**
 * A small process that starts and ends the reading processes. The time to start a process grows with the memory of the
 * starting process: a host with 2 GB needs 80 ms, in which its event loop stands still.
 */

const CHILD = fileURLToPath(new URL('./extraction-child.js', import.meta.url))
const children = new Map<number, ChildProcess>()

process.on('message', ({ id, message }: ToProcess) => {
  if (message.type === 'start') start(id)
  else if (message.type === 'kill') children.get(id)?.kill('SIGKILL')
  // Ignores a closed channel: the end of the process is reported anyway.
  else children.get(id)?.send(message, () => undefined)
})
// The host has ended. The reading processes notice the end of their own channels.
process.on('disconnect', () => process.exit())
if (!process.connected) process.exit()
// A terminal sends its signals to the whole process group. Only the host handles them.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)

function start(id: number): void {
  const child = fork(CHILD, process.argv.slice(2), {
    execArgv: [],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  children.set(id, child)
  child.on('message', (message) => {
    send({ id, arrival: message as ProcessMessage })
  })
  child.on('error', (error) => {
    reportEnd(id, error.message)
  })
  child.on('exit', (code, signal) => {
    const exit = signal ?? code ?? undefined
    // Its last messages may still be in the channel.
    if (child.connected) child.once('disconnect', () => reportEnd(id, exit))
    else reportEnd(id, exit)
  })
}

function reportEnd(id: number, exit: string | number | undefined): void {
  if (children.delete(id)) send({ id, arrival: { type: 'ended', exit } })
}

function send(message: FromProcess): void {
  process.send?.(message)
}

import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { forkProgram } from '../../../child-program.js'
import { temporaryFolder } from '../../../temporary-folder.js'

/** A server in a process of its own, so that its memory is its own. */
export interface ChildServer {
  readonly address: URL
  /** A bearer token of its owner. */
  readonly token: string
  /** The memory of its process, without garbage: how much of that a process keeps depends on how busy the machine is. */
  rssBytes(): Promise<number>
  /** A client that writes a request, and never reads the answer. */
  silentClient(request: string): Socket
  remove(): Promise<void>
}

/** @param program name of a program of this folder, which gets its data folder and these arguments */
export async function startChildServer(program: string, ...args: readonly string[]): Promise<ChildServer> {
  const folder = await temporaryFolder()
  const child = await forkProgram(join(import.meta.dirname, program), [join(folder.path, 'data'), ...args], {
    execArgv: ['--expose-gc'],
  })
  const { address, token } = await nextMessage<{ readonly address: string; readonly token: string }>(child)
  const { port, hostname: host } = new URL(address)
  return {
    address: new URL(address),
    token,
    rssBytes: async () => {
      const answer = nextMessage<{ readonly rssBytes: number }>(child)
      child.send('rss')
      return (await answer).rssBytes
    },
    silentClient: (request) => {
      const socket = connect({ port: Number(port), host }).on('error', () => undefined)
      socket.write(request)
      return socket.pause()
    },
    remove: async () => {
      child.kill('SIGKILL')
      await folder.remove()
    },
  }
}

async function nextMessage<T>(child: ChildProcess): Promise<T> {
  const [message] = (await once(child, 'message')) as [T]
  return message
}

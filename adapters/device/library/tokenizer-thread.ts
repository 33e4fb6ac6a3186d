import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads'
import { ClosedError } from '../../../src/ports/index.js'
import type { InputOptions } from '../device-tokenizer.js'
import { PendingRequests } from '../threads/pending-requests.js'
import { fromThreadError } from '../threads/thread-error.js'
import type {
  TokenizerFacts,
  TokenizerRequest,
  TokenizerResponse,
  TokenizerThreadData,
  WordAnswer,
  WordRequest,
} from './tokenizer-protocol.js'

/**
 * The longest wait for the tokens of words. A thread that has died does not answer, and the host waits as long. On a
 * busy machine, a thread that works may pause for some seconds.
 */
const MAX_WAIT_MS = 10_000

/**
 * The thread that has a tokenizer of the library. To load one takes the library a second or more, so the host's thread
 * must not do it. The engine asks for the tokens of words in synchronous calls. Such a call waits for this thread, which
 * does nothing else at that time.
 */
export class TokenizerThread {
  readonly facts: TokenizerFacts
  readonly #pending: PendingRequests<readonly Int32Array[]>
  #ended: Error | undefined

  private constructor(
    private readonly worker: Worker,
    private readonly port: MessagePort,
    private readonly flag: Int32Array,
    facts: TokenizerFacts,
  ) {
    this.facts = facts
    this.#pending = new PendingRequests(worker, (id) => this.#post({ type: 'cancel', id }))
    worker.on('message', (response: TokenizerResponse) => this.#handle(response))
    worker.on('error', (error) => this.#end(new Error('the thread of a tokenizer has ended', { cause: error })))
    worker.on('exit', () => this.#end(new Error('the thread of a tokenizer has ended')))
    worker.unref()
  }

  /** @throws ModelError `ERR_MODEL_MISSING`, `ERR_MODEL_UNSUPPORTED` */
  static async start(folder: string): Promise<TokenizerThread> {
    const { port1, port2 } = new MessageChannel()
    port1.unref()
    const flag = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
    const workerData: TokenizerThreadData = { folder, port: port2, flag }
    const worker = new Worker(new URL('./tokenizer-worker.js', import.meta.url), { workerData, transferList: [port2] })
    const facts = await new Promise<TokenizerFacts>((resolve, reject) => {
      worker.once('message', (response: TokenizerResponse) => {
        if (response.type === 'ready') resolve(response.facts)
        else if (response.type === 'failed') reject(fromThreadError(response.error))
      })
      worker.once('error', reject)
      worker.once('exit', () => reject(new Error('the thread of a tokenizer has ended')))
    }).catch(async (error: unknown) => {
      await worker.terminate()
      throw error
    })
    return new TokenizerThread(worker, port1, flag, facts)
  }

  get hasEnded(): boolean {
    return this.#ended !== undefined
  }

  /** Counts the tokens of each word. Blocks for the time that the thread needs: some milliseconds for 1,000 words. */
  count(words: readonly string[]): readonly number[] {
    const answer = this.#ask({ type: 'count', words })
    return answer.type === 'counts' ? answer.counts : []
  }

  /** Returns the tokens of each word. Blocks as {@link count}. */
  read(words: readonly string[]): (WordAnswer & { readonly type: 'tokens' })['tokens'] {
    const answer = this.#ask({ type: 'read', words })
    return answer.type === 'tokens' ? answer.tokens : []
  }

  /** Encodes texts for the model, special tokens included. @throws InvalidInputError for a text that is too long */
  async encode(texts: readonly string[], { signal, ...options }: InputOptions): Promise<readonly Int32Array[]> {
    if (this.#ended !== undefined) throw this.#ended
    return await this.#pending.add((id) => this.#post({ type: 'encode', id, texts, ...options }), signal)
  }

  async close(): Promise<void> {
    this.#end(new ClosedError('the tokenizer'))
    await this.worker.terminate()
  }

  #ask(request: WordRequest): WordAnswer {
    if (this.#ended !== undefined) throw this.#ended
    Atomics.store(this.flag, 0, 0)
    this.port.postMessage(request)
    if (Atomics.wait(this.flag, 0, 0, MAX_WAIT_MS) !== 'timed-out') {
      return receiveMessageOnPort(this.port)?.message as WordAnswer
    }
    // A late answer would be taken for the one to the next request.
    const error = new Error(`the thread of a tokenizer did not answer for ${MAX_WAIT_MS} ms`)
    this.#end(error)
    void this.worker.terminate()
    throw error
  }

  #handle(response: TokenizerResponse): void {
    if (response.type === 'encoded') this.#pending.resolve(response.id, response.inputs)
    else if (response.type === 'failed' && response.id !== undefined) {
      this.#pending.reject(response.id, fromThreadError(response.error))
    }
  }

  #post(request: TokenizerRequest): void {
    if (this.#ended === undefined) this.worker.postMessage(request)
  }

  #end(error: Error): void {
    this.#ended ??= error
    this.#pending.rejectAll(this.#ended)
  }
}

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'

/** The body of a request for a chat completion. */
export interface ChatRequest {
  readonly model: string
  readonly messages: readonly { readonly role: string; readonly content: string; readonly tool_call_id?: string }[]
  readonly tools?: readonly object[]
}

export interface ChatServer {
  /** The value of `OPENAI_BASE_URL`. */
  readonly url: string
  readonly requests: readonly ChatRequest[]
  close(): Promise<void>
}

/**
 * A server with the protocol of OpenAI's chat completions that needs no model. It refuses requests that the real one
 * refuses: messages in a wrong form, and results of tools that nobody called.
 *
 * @param answer gives the message of the assistant
 */
export async function startChatServer(answer: (request: ChatRequest) => object): Promise<ChatServer> {
  const requests: ChatRequest[] = []
  const server = createServer((request, response) => {
    void json(request).then((body) => {
      const problem = problemOf(request.url, body as ChatRequest)
      if (problem === undefined) requests.push(body as ChatRequest)
      const message = problem === undefined ? { role: 'assistant', ...answer(body as ChatRequest) } : undefined
      response.writeHead(problem === undefined ? 200 : 400, { 'content-type': 'application/json' })
      response.end(JSON.stringify(message ? { choices: [{ index: 0, message }] } : { error: { message: problem } }))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    close: async () => {
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function problemOf(url: string | undefined, { model, messages, tools = [] }: ChatRequest): string | undefined {
  if (url !== '/v1/chat/completions') return `unknown URL ${url ?? ''}`
  if (typeof model !== 'string') return 'model is required'
  const called = new Set<string>()
  for (const message of messages as readonly (ChatRequest['messages'][number] & {
    readonly tool_calls?: readonly { readonly id: string }[]
  })[]) {
    if (!['system', 'user', 'assistant', 'tool'].includes(message.role)) return `unknown role ${message.role}`
    for (const { id } of message.tool_calls ?? []) called.add(id)
    if (message.role === 'tool' && !called.has(message.tool_call_id ?? '')) return 'nobody called this tool'
    if (typeof message.content !== 'string' && message.tool_calls === undefined) return 'content is required'
  }
  for (const tool of tools as readonly { readonly type?: string; readonly function?: { readonly name?: string } }[]) {
    if (tool.type !== 'function' || !/^[a-zA-Z0-9_-]{1,64}$/.test(tool.function?.name ?? '')) return 'tools are invalid'
  }
  return undefined
}

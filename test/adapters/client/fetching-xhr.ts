/** The part of a browser's XMLHttpRequest that uploads use, over `fetch`: it talks to the real server. */
export class FetchingXhr {
  readonly upload: { onprogress: ((event: { loaded: number; total: number }) => void) | null } = { onprogress: null }
  status = 0
  responseURL = ''
  responseText = ''
  onload: (() => void) | null = null
  onerror: (() => void) | null = null
  onabort: (() => void) | null = null
  ontimeout: (() => void) | null = null
  readonly #abort = new AbortController()
  readonly #headers = new Headers()
  #answered = new Headers()
  #target = { method: '', url: '' }

  open(method: string, url: string): void {
    this.#target = { method, url }
  }

  setRequestHeader(name: string, value: string): void {
    this.#headers.set(name, value)
  }

  getResponseHeader(name: string): string | null {
    return this.#answered.get(name)
  }

  send(body: FormData): void {
    const { method, url } = this.#target
    void this.#send(url, { method, body, headers: this.#headers, signal: this.#abort.signal })
  }

  async #send(url: string, init: RequestInit): Promise<void> {
    try {
      const file: unknown = (init.body as FormData).get('file')
      const { size } = file as { readonly size: number }
      this.upload.onprogress?.({ loaded: 10, total: size + 200 })
      const response = await fetch(url, init)
      this.upload.onprogress?.({ loaded: size + 200, total: size + 200 })
      this.status = response.status
      this.responseURL = response.url
      this.#answered = response.headers
      this.responseText = await response.text()
      this.onload?.()
    } catch {
      if (this.#abort.signal.aborted) this.onabort?.()
      else this.onerror?.()
    }
  }

  abort(): void {
    this.#abort.abort()
  }
}

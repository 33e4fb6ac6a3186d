import type { FailedAnswer, RefusedRequest } from './errors.js'

/** Units below which texts are not made shorter: the prompt is too long, or something else is wrong. */
const LEAST_UNITS = 100

const NEEDS_TEXTS = /[`'"]texts[`'"]/
const TOO_MANY = /maximum allowed batch size (\d+)|too many (?:documents|texts)|number of (?:documents|texts)/i
const TOO_LONG =
  /context (length|window|size)|too long|too large|too many (input )?tokens|must have less than|input length|maximum .{0,20}(length|tokens)|max[_ ]?(tokens|model_len|length)/i

/**
 * The form in which a server takes requests. It begins with the one of Jina and Cohere, and changes with refusals. Later
 * requests have the form that worked.
 */
export class RequestForm {
  #hasTexts = false
  #refusesReturn = false
  #mostTexts = Infinity
  #mostUnits = Infinity
  #changes = 0

  /** Number of changes so far. */
  get changes(): number {
    return this.#changes
  }

  /** Maximum number of texts in a request. */
  get mostTexts(): number {
    return this.#mostTexts
  }

  /** @returns the body of a request, as JSON */
  bodyOf(model: string | undefined, query: string, given: readonly string[]): string {
    const texts = given.map((text) =>
      text.length <= this.#mostUnits ? text : text.slice(0, this.#mostUnits).toWellFormed(),
    )
    // text-embeddings-inference does not shorten texts by itself.
    if (this.#hasTexts) return JSON.stringify({ query, texts, truncate: true })
    return JSON.stringify({
      ...(model !== undefined && { model }),
      query,
      documents: texts,
      ...(!this.#refusesReturn && { return_documents: false }),
    })
  }

  /**
   * Changes the form after a refusal.
   *
   * @returns false if no other form may help
   */
  changeAfter({ answer, texts, changes }: RefusedRequest): boolean {
    // Another request was refused before.
    if (changes !== this.#changes) return true
    const isChanged = this.#change(answer, texts)
    if (isChanged) this.#changes += 1
    return isChanged
  }

  #change({ status, body }: FailedAnswer, texts: readonly string[]): boolean {
    // llama.cpp answers with 500 to a text that is too long.
    if (status < 400 || [401, 403, 404, 408, 429].includes(status) || status > 500) return false
    if (!this.#hasTexts && NEEDS_TEXTS.test(body)) {
      this.#hasTexts = true
      return true
    }
    if (!this.#hasTexts && !this.#refusesReturn && body.includes('return_documents')) {
      this.#refusesReturn = true
      return true
    }
    const many = TOO_MANY.exec(body)
    if (many !== null || (status === 413 && texts.length > 1)) return this.#takeFewer(texts.length, many?.[1])
    return TOO_LONG.test(body) && this.#takeShorter(texts)
  }

  #takeFewer(texts: number, stated: string | undefined): boolean {
    if (texts < 2) return false
    const half = Math.ceil(texts / 2)
    const allowed = Number(stated ?? half)
    this.#mostTexts = allowed > 0 && allowed < texts ? allowed : half
    return true
  }

  #takeShorter(texts: readonly string[]): boolean {
    const longest = Math.min(this.#mostUnits, Math.max(...texts.map(({ length }) => length)))
    if (longest / 2 < LEAST_UNITS) return false
    this.#mostUnits = Math.floor(longest / 2)
    return true
  }
}

/** Words for which there is room at first: more than a chunk of usual size has, and what is read ahead of it. */
const CAPACITY = 8_192

/** What is known of words, side by side in arrays that grow together. */
export class WordArrays {
  /** UTF-16 offset at which each word begins, and that just behind it. */
  starts: Uint32Array = new Uint32Array(CAPACITY)
  ends: Uint32Array = new Uint32Array(CAPACITY)
  tokens: Uint16Array = new Uint16Array(CAPACITY)
  /** Tokens of the words in front of each, from somewhere on; behind the last word there is one number more. */
  tokensBefore: Uint32Array = new Uint32Array(CAPACITY + 1)
  /** 1 for each part of a word that was too large. */
  isPart: Uint8Array = new Uint8Array(CAPACITY)

  /** Makes room for so many words. */
  reserve(count: number): void {
    let capacity = this.starts.length
    if (count <= capacity) return
    while (capacity < count) capacity *= 2
    this.starts = copied(this.starts, new Uint32Array(capacity))
    this.ends = copied(this.ends, new Uint32Array(capacity))
    this.tokens = copied(this.tokens, new Uint16Array(capacity))
    this.tokensBefore = copied(this.tokensBefore, new Uint32Array(capacity + 1))
    this.isPart = copied(this.isPart, new Uint8Array(capacity))
  }

  /** Moves words to the front: those from `first` to before `next`, with other offsets; their sums begin with 0. */
  moveToFront(first: number, next: number, lessOffset: number): void {
    const { starts, ends, tokensBefore } = this
    const lessTokens = tokensBefore[first] ?? 0
    for (let at = first; at < next; at += 1) {
      starts[at - first] = (starts[at] ?? 0) - lessOffset
      ends[at - first] = (ends[at] ?? 0) - lessOffset
      tokensBefore[at - first] = (tokensBefore[at] ?? 0) - lessTokens
    }
    tokensBefore[next - first] = (tokensBefore[next] ?? 0) - lessTokens
    this.tokens.copyWithin(0, first, next)
    this.isPart.copyWithin(0, first, next)
  }
}

function copied<Numbers extends Uint8Array | Uint16Array | Uint32Array>(from: Numbers, to: Numbers): Numbers {
  to.set(from)
  return to
}

import type { Answer } from './served-folder.js'

/** Records what a program of disks has seen: a line for each fact, and the facts that are wrong. */
export class DiskLog {
  readonly problems: string[] = []
  #part = ''

  begin(part: string): void {
    this.#part = part
    process.stderr.write(`${part}\n`)
  }

  /** Notes what was seen, and whether it is right. */
  check(subject: string, isRight: boolean, seen: unknown): void {
    const line = `${subject}: ${typeof seen === 'string' ? seen : JSON.stringify(seen)}`
    process.stderr.write(`  ${isRight ? 'right' : 'WRONG'}  ${line}\n`)
    if (!isRight) this.problems.push(`${this.#part}: ${line}`)
  }

  /** Checks that an upload is refused with this code, in a problem document. */
  checkRefused(subject: string, { status, body, ms }: Answer, code: string): void {
    this.check(
      subject,
      [503, 507].includes(status) && codeOf(body) === code,
      `${status} ${codeOf(body)} after ${ms} ms`,
    )
  }

  /** Checks that a search finds something. */
  checkFound(subject: string, { status, body, ms }: Answer): void {
    const hits = Array.isArray(body) ? body.length : 0
    this.check(
      subject,
      status === 200 && hits > 0,
      `${status}, ${hits} hits after ${ms} ms ${hits > 0 ? '' : codeOf(body)}`,
    )
  }
}

export function codeOf(body: unknown): string {
  return (body as { readonly code?: string } | null)?.code ?? JSON.stringify(body)
}

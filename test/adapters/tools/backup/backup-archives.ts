import { createHash } from 'node:crypto'
import { Header, type HeaderData } from 'tar/header'

/** An entry of an archive, as an attacker may write it. */
export interface Entry extends HeaderData {
  readonly path: string
  readonly content?: string | Buffer
}

/** A tar archive with checksums at its end, in the format of a backup. */
export function archiveOf(entries: readonly Entry[], options: { readonly checksums?: string } = {}): Buffer {
  const lines = entries.map(
    ({ path, content = '' }) => `${createHash('sha256').update(content).digest('hex')}  ${path}\n`,
  )
  const checksums = { path: 'SHA256SUMS', content: options.checksums ?? lines.join('') }
  return Buffer.concat([...[...entries, checksums].flatMap(blocksOf), Buffer.alloc(1_024)])
}

/** The entries of a backup, in their order. */
export function entriesOf(archive: Buffer): Entry[] {
  const entries: Entry[] = []
  for (let at = 0; ; ) {
    const { path, size = 0, nullBlock } = new Header(archive, at)
    if (nullBlock || path === undefined || path === 'SHA256SUMS') return entries
    entries.push({ path, content: archive.subarray(at + 512, at + 512 + size) })
    at += 512 + Math.ceil(size / 512) * 512
  }
}

function blocksOf({ content = '', ...given }: Entry): Buffer[] {
  const bytes = Buffer.from(content)
  const header = Buffer.alloc(512)
  new Header({ type: 'File', mode: 0o600, size: bytes.byteLength, mtime: new Date(0), ...given }).encode(header)
  return [header, bytes, Buffer.alloc((512 - (bytes.byteLength % 512)) % 512)]
}

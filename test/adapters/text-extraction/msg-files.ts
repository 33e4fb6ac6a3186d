import { utils, write } from 'cfb'

type Value = string | number | boolean | Date | Buffer | { readonly ansi: Buffer }

/** A mail of Outlook by the tags of its properties ([MS-OXPROPS]), such as `0037` for the subject. */
export interface MsgSpec {
  readonly properties: Readonly<Record<string, Value>>
  readonly recipients?: readonly Readonly<Record<string, Value>>[]
  /** Properties of files, or mails. */
  readonly attachments?: readonly (Readonly<Record<string, Value>> | { readonly mail: MsgSpec })[]
}

const HEADER_BYTES = { root: 32, inner: 24, other: 8 }

/** A mail of Outlook, built after [MS-OXMSG]. */
export function msg(spec: MsgSpec): Buffer {
  const container = utils.cfb_new()
  utils.cfb_del(container, '\u0001Sh33tJ5')
  const add = (path: string, content: Buffer): void => {
    utils.cfb_add(container, `/${path}`, content)
  }
  addMail(add, '', spec, HEADER_BYTES.root)
  return write(container, { type: 'buffer', fileType: 'cfb' }) as Buffer
}

type Add = (path: string, content: Buffer) => void

function addMail(
  add: Add,
  folder: string,
  { properties, recipients = [], attachments = [] }: MsgSpec,
  header: number,
): void {
  addProperties(add, folder, properties, header)
  for (const [at, recipient] of recipients.entries()) {
    addProperties(add, `${folder}__recip_version1.0_#${hex(at)}/`, recipient, HEADER_BYTES.other)
  }
  for (const [at, attachment] of attachments.entries()) {
    const own = `${folder}__attach_version1.0_#${hex(at)}/`
    if ('mail' in attachment && typeof attachment.mail === 'object' && 'properties' in attachment.mail) {
      addProperties(add, own, { '3001': 'A mail' }, HEADER_BYTES.other)
      addMail(add, `${own}__substg1.0_3701000D/`, attachment.mail, HEADER_BYTES.inner)
    } else addProperties(add, own, attachment as Readonly<Record<string, Value>>, HEADER_BYTES.other)
  }
}

function addProperties(add: Add, folder: string, properties: Readonly<Record<string, Value>>, header: number): void {
  const fixed: Buffer[] = [Buffer.alloc(header)]
  for (const [tag, value] of Object.entries(properties)) {
    const entry = Buffer.alloc(16)
    const [type, content] = encoded(value, entry)
    entry.writeUInt16LE(type, 0)
    entry.writeUInt16LE(Number.parseInt(tag, 16), 2)
    if (content === undefined) fixed.push(entry)
    else add(`${folder}__substg1.0_${tag}${type.toString(16).padStart(4, '0').toUpperCase()}`, content)
  }
  add(`${folder}__properties_version1.0`, Buffer.concat(fixed))
}

/** @returns the type of a value, and its bytes if they are a stream of their own */
function encoded(value: Value, entry: Buffer): readonly [type: number, content?: Buffer] {
  if (typeof value === 'string') return [0x001f, Buffer.from(value, 'utf16le')]
  if (Buffer.isBuffer(value)) return [0x0102, value]
  if (value instanceof Date) {
    entry.writeBigUInt64LE(BigInt(value.getTime()) * 10_000n + 116_444_736_000_000_000n, 8)
    return [0x0040]
  }
  if (typeof value === 'object') return [0x001e, value.ansi]
  entry.writeUInt32LE(Number(value), 8)
  return [typeof value === 'boolean' ? 0x000b : 0x0003]
}

function hex(number: number): string {
  return number.toString(16).padStart(8, '0').toUpperCase()
}

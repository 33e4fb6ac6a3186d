const END = Buffer.from('PK\x05\x06', 'latin1')
const DIRECTORY = 0x02014b50
const END_BYTES = 22
/** The places that are looked at: a hostile file may have any number of them. */
const MAX_PLACES = 1_000

/**
 * The bytes of a zip up to the end of its directory. Mails, downloads and recovery programs leave bytes behind it, which
 * Office and other readers ignore and yauzl refuses.
 */
export function withoutTail(bytes: Buffer): Buffer {
  let at = bytes.lastIndexOf(END)
  for (let places = 0; at >= 0 && places < MAX_PLACES; places += 1) {
    if (isEnd(bytes, at)) return cutAt(bytes, at)
    at = at === 0 ? -1 : bytes.lastIndexOf(END, at - 1)
  }
  return bytes
}

/** True if the directory lies where the record at this place says. */
function isEnd(bytes: Buffer, at: number): boolean {
  if (at + END_BYTES > bytes.length) return false
  const [size, start] = [bytes.readUInt32LE(at + 12), bytes.readUInt32LE(at + 16)]
  return start + size <= at && size >= 4 && bytes.readUInt32LE(start) === DIRECTORY
}

function cutAt(bytes: Buffer, at: number): Buffer {
  const end = at + END_BYTES + bytes.readUInt16LE(at + 20)
  return end <= bytes.length ? bytes.subarray(0, end) : bytes
}

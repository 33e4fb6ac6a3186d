import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'

/** Makes the cursor of a next page. Clients must not look into it. */
export function toCursor(position: readonly number[]): string {
  return Buffer.from(position.join('.')).toString('base64url')
}

/**
 * @param size number of ids in the cursor
 * @returns the position of the first page without a cursor: zeros
 * @throws ProtocolError for a cursor that no list gave
 */
export function parseCursor(cursor: string | undefined, size: number): readonly number[] {
  if (cursor === undefined) return Array.from({ length: size }, () => 0)
  const position = Buffer.from(cursor, 'base64url').toString('latin1').split('.').map(parseNumber)
  if (position.length === size && position.every(Number.isSafeInteger)) return position
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'the cursor is not valid: begin the list again without it')
}

function parseNumber(text: string): number {
  return /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN
}

/** The server's messages begin with a small letter and have no full stop. */
export function sentence(message: string): string {
  const text = message.trim()
  const first = text.slice(0, 1).toUpperCase() + text.slice(1)
  return /[.!?]$/.test(first) ? first : `${first}.`
}

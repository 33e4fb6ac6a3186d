/** The code of an error of the system or of a library, such as `ENOENT`. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}

export function isCode(error: unknown, ...codes: readonly string[]): boolean {
  const code = codeOf(error)
  return code !== undefined && codes.includes(code)
}

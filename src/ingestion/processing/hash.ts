/** Names a text under a model: 128 bits of SHA-256, base64url. */
export async function hashText(namespace: string, text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(`${namespace}\0${text}`))
  const binary = String.fromCharCode(...new Uint8Array(digest, 0, 16))
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').slice(0, 22)
}

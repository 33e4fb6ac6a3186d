/** Who issues access tokens, and for whom: the same engine. */
export const TOKEN_ISSUER = { iss: 'alcove', aud: 'alcove' } as const

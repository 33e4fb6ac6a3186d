import { z } from 'zod'
import type { PublicKey, TokenResponse } from '../../../src/index.js'
import { id } from './fields.js'

export const tokenSchema: z.ZodType<TokenResponse> = z
  .object({
    access_token: z.string(),
    token_type: z.literal('Bearer'),
    expires_in: z.literal(900),
    scope: z.string().exactOptional(),
  })
  .meta({ id: 'Token' })

const publicKey: z.ZodType<PublicKey> = z
  .object({
    kty: z.string(),
    crv: z.string(),
    x: z.string(),
    y: z.string().exactOptional(),
    kid: z.string(),
    alg: z.string(),
    use: z.literal('sig'),
  })
  .meta({ id: 'PublicKey' })

export const keySetSchema: z.ZodType = z.object({ keys: z.array(publicKey) }).meta({ id: 'KeySet' })

export const introspectionSchema: z.ZodType = z
  .union([
    z.object({ active: z.literal(false) }),
    z.object({
      active: z.literal(true),
      client_id: z.string(),
      sub: z.string(),
      aud: z.string(),
      iss: z.string(),
      exp: z.int(),
      iat: z.int(),
      jti: z.string(),
      token_type: z.literal('Bearer'),
      scope: z.string(),
      target_app: z.string(),
      account_id: id,
      company_id: id,
    }),
  ])
  .meta({ id: 'Introspection' })

export const serverMetadataSchema: z.ZodType = z
  .object({
    issuer: z.string(),
    authorization_endpoint: z.string(),
    token_endpoint: z.string(),
    token_endpoint_auth_methods_supported: z.array(z.string()),
    jwks_uri: z.string(),
    revocation_endpoint: z.string(),
    revocation_endpoint_auth_methods_supported: z.array(z.string()),
    introspection_endpoint: z.string(),
    introspection_endpoint_auth_methods_supported: z.array(z.string()),
    grant_types_supported: z.array(z.string()),
    response_types_supported: z.array(z.string()),
    scopes_supported: z.array(z.string()),
    service_documentation: z.string(),
  })
  .meta({ id: 'ServerMetadata' })

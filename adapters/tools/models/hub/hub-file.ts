import { z } from 'zod'

/** A file of a repository at one commit, as the hub lists it. */
export interface HubFile {
  readonly path: string
  /** Bytes. */
  readonly size: number
  /** The hash that the content must have. */
  readonly hash: { readonly kind: 'sha256' | 'git-sha1'; readonly hex: string }
}

/** A commit, or the hash of a small file. */
export const GIT_HASH: z.ZodType<string> = z.string().regex(/^[0-9a-f]{40}$/)

const ENTRY = z.object({
  type: z.string(),
  path: z.string(),
  size: z.int().min(0),
  oid: GIT_HASH.optional().catch(undefined),
  lfs: z
    .object({ oid: z.string().regex(/^(sha256:)?[0-9a-f]{64}$/), size: z.int().min(0) })
    .nullish()
    .catch(undefined),
})

/** @returns undefined for a folder, or for a file without a hash */
export function toHubFile(entry: unknown): HubFile | undefined {
  const parsed = ENTRY.safeParse(entry)
  if (!parsed.success || parsed.data.type !== 'file') return undefined
  const { path, size, oid, lfs } = parsed.data
  if (lfs != null) return { path, size: lfs.size, hash: { kind: 'sha256', hex: lfs.oid.replace('sha256:', '') } }
  return oid === undefined ? undefined : { path, size, hash: { kind: 'git-sha1', hex: oid } }
}

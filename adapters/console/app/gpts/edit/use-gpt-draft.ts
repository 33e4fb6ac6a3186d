import { useEffect, useState } from 'react'
import { type GptDraft, haveSameTexts, keepDraft, keptDraft, mergedOf } from './gpt-draft.js'

interface Editing {
  /** The texts that the user sees. */
  readonly draft: GptDraft
  /** The stored texts from which the draft began. */
  readonly base: GptDraft
}

interface EditedGpt extends Editing {
  readonly isChanged: boolean
  /** True if the draft is one that was left before. */
  readonly isRestored: boolean
  readonly edit: (changed: (present: GptDraft) => Partial<GptDraft>) => void
  /** Goes on from newer stored texts: every part that differs from `since` stays as the user has it. */
  readonly rebase: (newest: GptDraft, since: GptDraft) => void
  readonly discard: () => void
}

/**
 * The draft of a form. A form without changes follows the stored texts; one with changes stays as it is.
 *
 * @param key names the draft of this user: it comes back if the login ends before it is saved
 */
export function useGptDraft(key: string, stored: GptDraft): EditedGpt {
  const [isRestored, setRestored] = useState(() => keptDraft(key) !== undefined)
  const [editing, setEditing] = useState<Editing>(() => keptDraft(key) ?? { draft: stored, base: stored })
  const [before, setBefore] = useState(stored)
  const { draft, base } = editing
  const isChanged = !haveSameTexts(draft, base)
  if (before !== stored) {
    setBefore(stored)
    if (!isChanged) setEditing({ draft: mergedOf(draft, base, stored), base: stored })
  }
  useEffect(() => {
    keepDraft(key, isChanged ? { draft, base } : undefined)
  }, [key, isChanged, draft, base])
  return {
    draft,
    base,
    isChanged,
    isRestored,
    edit: (changed) =>
      setEditing((present) => ({ ...present, draft: { ...present.draft, ...changed(present.draft) } })),
    rebase: (newest, since) => {
      setRestored(false)
      setEditing((present) => ({ draft: mergedOf(present.draft, since, newest), base: newest }))
    },
    discard: () => setEditing({ draft: stored, base: stored }),
  }
}

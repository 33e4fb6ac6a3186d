import { Fragment, type ReactElement } from 'react'
import { useTexts } from '../../texts/phrases.js'
import { useNameOf } from '../use-names.js'
import { ACTION_TEXTS, idOf, sentenceOf } from './action-texts.js'
import type { AuditEntry } from './actions.js'
import { AUDIT_TEXTS } from './audit-texts.js'
import { KINDS_OF_DETAILS } from './detail-texts.js'

/** The actor, the action and its target: names where the reader may see them, and else numbers. */
export function EntrySentence({ entry }: { readonly entry: AuditEntry }): ReactElement {
  const words = sentenceOf(useTexts(ACTION_TEXTS), entry).split(/(@|#|\{\w+\})/)
  return (
    <p>
      {words.map((word) =>
        /^[@#{]/.test(word) ? (
          <strong key={word}>
            <bdi>
              <EntryName entry={entry} word={word} />
            </bdi>
          </strong>
        ) : (
          <Fragment key={word}>{word}</Fragment>
        ),
      )}
    </p>
  )
}

function EntryName({ entry, word }: { readonly entry: AuditEntry; readonly word: string }): ReactElement {
  const texts = useTexts(AUDIT_TEXTS)
  const { actor, details } = entry
  const [kind, id] = thingOf(entry, word)
  const name = useNameOf(kind, id, details)
  if (name !== undefined) return <>{name}</>
  if (word !== '@') return <>{id === null ? texts.unknownTarget : String(id)}</>
  return <>{id === null ? texts.actors[actor.kind] : texts.actorNumber(id)}</>
}

/** The kind and the id of the thing that a word of the sentence stands for. */
function thingOf(entry: AuditEntry, word: string): readonly [string, number | null] {
  const { actor, targetType, targetId } = entry
  if (word === '@') return ['user', actor.userId]
  if (word === '#') return [targetType, targetId]
  const detail = word.slice(1, -1)
  return [KINDS_OF_DETAILS[detail] ?? '', idOf(entry, detail)]
}

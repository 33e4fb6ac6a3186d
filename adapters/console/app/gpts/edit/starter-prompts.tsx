import { type ReactElement, useState } from 'react'
import { useFormat } from '../../texts/format.js'
import { phrases, useTexts } from '../../texts/phrases.js'
import { Button } from '../../ui/buttons.js'
import { TextField } from '../../ui/form/fields.js'
import { type FieldErrors, MAX_PROMPTS } from '../check-gpt.js'
import { newKey } from '../tools/tool-draft.js'
import { useFocusNext } from '../use-focus-next.js'
import type { PromptDraft } from './gpt-draft.js'

const TEXTS = phrases({
  en: {
    title: 'Starter prompts',
    intro:
      'Questions that users can choose to begin. Enter begins the next one. Alt with arrow up or down moves the one that you write in.',
    introNew: 'Leave the list empty, and the server writes some from the name, the caption and the instructions.',
    prompt: (place: string) => `Starter prompt ${place}`,
    up: (place: string) => `Move starter prompt ${place} up`,
    down: (place: string) => `Move starter prompt ${place} down`,
    remove: (place: string) => `Remove starter prompt ${place}`,
    add: 'Add a starter prompt',
    moved: (place: string) => `The starter prompt is now number ${place}.`,
  },
  de: {
    title: 'Startfragen',
    intro:
      'Fragen, mit denen Benutzer beginnen können. Enter beginnt die nächste. Alt mit Pfeil hoch oder runter verschiebt die, in der du schreibst.',
    introNew: 'Lass die Liste leer, und der Server schreibt einige aus Name, Untertitel und Anweisungen.',
    prompt: (place) => `Startfrage ${place}`,
    up: (place) => `Startfrage ${place} nach oben`,
    down: (place) => `Startfrage ${place} nach unten`,
    remove: (place) => `Startfrage ${place} entfernen`,
    add: 'Startfrage hinzufügen',
    moved: (place) => `Die Startfrage hat jetzt die Nummer ${place}.`,
  },
})

interface StarterPromptsProps {
  readonly prompts: readonly PromptDraft[]
  readonly onChange: (prompts: readonly PromptDraft[]) => void
  readonly errors: FieldErrors
  /** True for a new context: the server writes prompts if there are none. */
  readonly isNew: boolean
}

/** The starter prompts in their order. */
export function StarterPrompts({ prompts, onChange, errors, isNew }: StarterPromptsProps): ReactElement {
  const texts = useTexts(TEXTS)
  const { number } = useFormat()
  const focusNext = useFocusNext()
  const [status, setStatus] = useState('')
  const move = (from: number, step: -1 | 1, part: 'field' | 'up' | 'down'): void => {
    const moved = prompts[from]
    const to = from + step
    if (moved === undefined || to < 0 || to >= prompts.length) return
    const others = prompts.filter((prompt) => prompt !== moved)
    onChange([...others.slice(0, to), moved, ...others.slice(to)])
    setStatus(texts.moved(number(to + 1)))
    // At an end of the list, one of the buttons can do no more.
    const isAtEnd = to === 0 || to === prompts.length - 1
    focusNext(`${moved.key}-${part === 'field' || !isAtEnd ? part : to === 0 ? 'down' : 'up'}`)
  }
  const remove = (index: number): void => {
    onChange(prompts.filter((_, place) => place !== index))
    const neighbour = prompts[index + 1] ?? prompts[index - 1]
    focusNext(neighbour === undefined ? 'add-prompt' : `${neighbour.key}-field`)
  }
  const add = (): void => {
    const prompt = { key: newKey(), text: '' }
    onChange([...prompts, prompt])
    focusNext(`${prompt.key}-field`)
  }
  const goOn = (index: number): void => {
    const next = prompts[index + 1]
    if (next !== undefined) focusNext(`${next.key}-field`)
    else if (prompts.length < MAX_PROMPTS) add()
  }
  return (
    <section className="panel" aria-labelledby="prompts-title">
      <h2 id="prompts-title">{texts.title}</h2>
      <p className="hint">{texts.intro}</p>
      {isNew && prompts.length === 0 && <p className="hint">{texts.introNew}</p>}
      <ol className="gpts-prompts">
        {prompts.map(({ key, text }, index) => {
          const place = number(index + 1)
          return (
            <li key={key}>
              <TextField
                id={`${key}-field`}
                label={texts.prompt(place)}
                value={text}
                onChange={(value) => onChange(prompts.map((each) => (each.key === key ? { key, text: value } : each)))}
                onKeyDown={(event) => {
                  if (event.key === 'Enter') {
                    // It would save the form, and most users want to write the next one.
                    event.preventDefault()
                    goOn(index)
                  }
                  if (!event.altKey || (event.key !== 'ArrowUp' && event.key !== 'ArrowDown')) return
                  event.preventDefault()
                  move(index, event.key === 'ArrowUp' ? -1 : 1, 'field')
                }}
                error={errors[`starterPrompts[${index}]`]}
              />
              <div className="gpts-row-actions">
                <Button
                  id={`${key}-up`}
                  aria-label={texts.up(place)}
                  isDisabled={index === 0}
                  onPress={() => move(index, -1, 'up')}
                >
                  <span aria-hidden="true">↑</span>
                </Button>
                <Button
                  id={`${key}-down`}
                  aria-label={texts.down(place)}
                  isDisabled={index === prompts.length - 1}
                  onPress={() => move(index, 1, 'down')}
                >
                  <span aria-hidden="true">↓</span>
                </Button>
                <Button aria-label={texts.remove(place)} onPress={() => remove(index)}>
                  <span aria-hidden="true">✕</span>
                </Button>
              </div>
            </li>
          )
        })}
      </ol>
      {errors['starterPrompts'] !== undefined && <p className="field-error">{errors['starterPrompts']}</p>}
      <Button id="add-prompt" isDisabled={prompts.length >= MAX_PROMPTS} onPress={add}>
        {texts.add}
      </Button>
      <p role="status" className="visually-hidden">
        {status}
      </p>
    </section>
  )
}

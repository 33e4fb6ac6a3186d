import { type ReactElement, type ReactNode, useState } from 'react'
import { useUnsaved } from '../../frame/guarded-router.js'
import { phrases, useTexts } from '../../texts/phrases.js'
import { Button, ButtonLink } from '../../ui/buttons.js'
import { Checkbox, Choices, Select, TextField } from '../../ui/form/fields.js'
import { Form } from '../../ui/form/form.js'
import { ErrorNote } from '../../ui/notes.js'
import { useCompanies, useFirstCompany } from '../companies.js'
import type { Destination } from '../queries.js'
import type { DestinationSettings } from './destination-settings.js'
import { useDestinationErrors } from './destination-settings.js'
import { EventTypeChoice } from './event-type-choice.js'

const TEXTS = phrases({
  en: {
    url: 'URL',
    urlHint: 'An HTTPS address that a receiver of yours answers, such as https://hooks.example.com/alcove',
    name: 'Name',
    nameHint: 'What the destination is for. It may stay empty.',
    company: 'Company',
    companyHint: 'The destination gets the events of this company. You cannot change it later.',
    below: 'Also events of the companies below',
    belowHint: 'For a company that has companies of its own.',
    retry: 'If the receiver does not answer',
    standard: 'Try three times within seconds',
    standardHint: 'A receiver that is away for longer misses events, until somebody sends them again.',
    long: 'Try eleven times in about a day',
    longHint: 'The pauses grow. Alcove sends a mail if no attempt has succeeded for a day.',
    scheme: 'Signature',
    service: 'x-service-signature',
    standardScheme: 'Standard Webhooks',
    both: 'Both, for a change from one to the other',
    cancel: 'Cancel',
  },
  de: {
    url: 'URL',
    urlHint: 'Eine HTTPS-Adresse, unter der dein Empfänger antwortet, etwa https://hooks.example.com/alcove',
    name: 'Name',
    nameHint: 'Wofür das Ziel da ist. Darf leer bleiben.',
    company: 'Firma',
    companyHint: 'Das Ziel bekommt die Ereignisse dieser Firma. Das lässt sich später nicht ändern.',
    below: 'Auch Ereignisse untergeordneter Firmen',
    belowHint: 'Für eine Firma, zu der weitere Firmen gehören.',
    retry: 'Wenn der Empfänger nicht antwortet',
    standard: 'Dreimal innerhalb weniger Sekunden versuchen',
    standardHint: 'Ein Empfänger, der länger nicht antwortet, verpasst Ereignisse, bis jemand sie noch einmal sendet.',
    long: 'Elfmal über etwa einen Tag versuchen',
    longHint: 'Die Pausen werden länger. Alcove sendet eine E-Mail, wenn einen Tag lang kein Versuch gelungen ist.',
    scheme: 'Signatur',
    service: 'x-service-signature',
    standardScheme: 'Standard Webhooks',
    both: 'Beide, für den Wechsel von einer zur anderen',
    cancel: 'Abbrechen',
  },
})

/** The values that the form sends. */
interface DestinationValues extends DestinationSettings {
  /** Only of a new destination. */
  readonly customerId?: number
}

/** The values that a page saves. */
export interface Submission {
  readonly body: DestinationValues
  /** To be called once it is saved: the page may be left then. */
  readonly release: () => void
}

interface DestinationFormProps {
  /** Undefined for a new one. */
  readonly destination?: Destination
  readonly action: string
  readonly isPending: boolean
  readonly error: unknown
  readonly onSubmit: (submission: Submission) => void
  /** A remark above the buttons. */
  readonly children?: ReactNode
}

/** The fields of a destination, new or existing. */
export function DestinationForm(props: DestinationFormProps): ReactElement {
  const { destination, action, isPending, error, onSubmit, children } = props
  const texts = useTexts(TEXTS)
  const companies = useCompanies()
  const firstCompany = useFirstCompany()
  const [initial] = useState(() => valuesOf(destination))
  const [values, setValues] = useState(initial)
  const wanted = sentOf(values)
  const release = useUnsaved(JSON.stringify(wanted) !== JSON.stringify(sentOf(initial)))
  const customerId = values.customerId ?? firstCompany
  const errors = useDestinationErrors()(error)
  const change = (changes: Partial<DestinationValues>): void => setValues((before) => ({ ...before, ...changes }))
  const submit = (): void => {
    const isNew = destination === undefined && customerId !== undefined
    onSubmit({ body: { ...wanted, ...(isNew && { customerId }) }, release })
  }
  return (
    <Form className="panel" onSubmit={submit}>
      <TextField
        label={texts.url}
        hint={texts.urlHint}
        error={errors.url}
        name="url"
        value={values.url}
        onChange={(url) => change({ url })}
        isRequired
      />
      <TextField
        label={texts.name}
        hint={texts.nameHint}
        error={errors.name}
        name="name"
        value={values.name ?? ''}
        onChange={(name) => change({ name })}
      />
      {destination === undefined && companies.length > 1 && (
        <Select
          label={texts.company}
          hint={texts.companyHint}
          value={customerId === undefined ? null : String(customerId)}
          onChange={(id) => change({ customerId: Number(id) })}
          choices={companies.map(({ id, name }) => ({ value: String(id), label: name }))}
        />
      )}
      <EventTypeChoice
        value={values.eventTypes}
        onChange={(types) => change({ eventTypes: types === null ? null : [...types] })}
        error={values.eventTypes?.length === 0 ? errors.eventTypes : undefined}
      />
      <div className="field">
        <Checkbox
          label={texts.below}
          hint={texts.belowHint}
          isSelected={values.includeDescendants}
          onChange={(includeDescendants) => change({ includeDescendants })}
        />
      </div>
      <Choices
        label={texts.retry}
        value={values.retry}
        onChange={(retry) => change({ retry })}
        choices={[
          { value: 'standard', label: texts.standard, hint: texts.standardHint },
          { value: 'long', label: texts.long, hint: texts.longHint },
        ]}
      />
      <Select
        label={texts.scheme}
        value={values.signatureScheme}
        onChange={(signatureScheme) => change({ signatureScheme })}
        choices={[
          { value: 'service', label: texts.service },
          { value: 'standard', label: texts.standardScheme },
          { value: 'both', label: texts.both },
        ]}
      />
      <ErrorNote error={errors.rest} />
      {children}
      <div className="actions">
        <Button type="submit" kind="primary" isPending={isPending}>
          {action}
        </Button>
        <ButtonLink href={destination === undefined ? '/webhooks' : `/webhooks/destinations/${destination.id}`}>
          {texts.cancel}
        </ButtonLink>
      </div>
    </Form>
  )
}

function sentOf(values: DestinationValues): DestinationValues {
  return { ...values, url: values.url.trim(), name: values.name?.trim() === '' ? null : values.name }
}

function valuesOf(destination: Destination | undefined): DestinationValues {
  if (destination === undefined)
    return {
      url: '',
      name: '',
      eventTypes: null,
      includeDescendants: false,
      retry: 'standard',
      signatureScheme: 'service',
    }
  const { url, name, eventTypes, includeDescendants, retry, signatureScheme } = destination
  return { url, name, eventTypes, includeDescendants, retry, signatureScheme }
}

import type { ComponentChildren } from 'preact'
import { ActionForm } from './action-form.tsx'

interface TextFormProps {
  readonly id: string
  readonly action: string
  readonly fields: Readonly<Record<string, string>>
  readonly label: ComponentChildren
  readonly button: string
  readonly look?: 'btn' | 'btn two'
  /** The text is long, so the button stands below it. */
  readonly isLong?: boolean
  readonly busy?: boolean
  readonly placeholder?: string
  readonly value?: string
  readonly problem?: string
  readonly onAct: (typed: string) => void
  /** A page without scripts refreshes itself, which would clear the field. So it shows a link to this URL, where it does not refresh. */
  readonly staticUrl?: string
}

export const TextForm = ({
  id,
  action,
  fields,
  label,
  button,
  look = 'btn two',
  isLong,
  busy,
  placeholder,
  value,
  problem,
  onAct,
  staticUrl,
}: TextFormProps) => (
  <>
    {staticUrl && (
      <a class="link nojs" href={`${staticUrl}#${id}`}>
        {label}
      </a>
    )}
    <ActionForm class={`ask${staticUrl ? ' js' : ''}${isLong ? ' long' : ''}`} action={action} fields={fields} onAct={onAct}>
      <label for={id}>{label}</label>
      <input
        type="text"
        id={id}
        name="typed"
        dir="ltr"
        placeholder={placeholder}
        defaultValue={value}
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
        maxLength={200}
        required
        aria-invalid={problem ? 'true' : undefined}
        aria-describedby={problem ? `${id}-problem` : undefined}
      />
      <button class={look} aria-disabled={busy ? 'true' : undefined}>
        {busy && <span class="spin" />}
        {button}
      </button>
      {problem && (
        <p class="wrong" role="alert" id={`${id}-problem`}>
          {problem}
        </p>
      )}
    </ActionForm>
  </>
)

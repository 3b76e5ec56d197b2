import type { ComponentChildren } from 'preact'
import { ActionForm } from './action-form.tsx'

interface TextFormProps {
  readonly id: string
  readonly action: string
  readonly fields: Readonly<Record<string, string>>
  readonly label: ComponentChildren
  readonly button: string
  readonly busy?: boolean
  readonly placeholder?: string
  readonly value?: string
  readonly problem?: string
  readonly onAct: (typed: string) => void
  /** Without script the page refreshes itself: until the payer has gone to this address, where it does not, a link stands here. */
  readonly still?: string
}

/** One text field and its button; what is wrong stands under it and is said. */
export const TextForm = ({ id, action, fields, label, button, busy, placeholder, value, problem, onAct, still }: TextFormProps) => (
  <>
    {still && (
      <a class="link nojs" href={`${still}#${id}`}>
        {label}
      </a>
    )}
    <ActionForm class={still ? 'ask js' : 'ask'} action={action} fields={fields} onAct={onAct}>
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
      <button class="btn two" aria-disabled={busy ? 'true' : undefined}>
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

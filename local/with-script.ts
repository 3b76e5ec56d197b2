import type { Render } from '../src/wire/boot.ts'

/** Adds a script of local mode to each page of an order. It delays no frame. */
export const withScript =
  (path: string) =>
  (render: Render): Render =>
  (boot) => {
    const html = render(boot)
    return boot.data.view === 'order'
      ? html.replace('</head>', `<script nonce="${boot.shell.nonce}" defer src="${path}"></script></head>`)
      : html
  }

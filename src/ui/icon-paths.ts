import type { IconName } from './icon.tsx'

/** Each path is stroked and not filled, on a grid of 20 × 20. */
export const iconPaths: { readonly [N in IconName]: string } = {
  back: 'M12 5l-5 5 5 5',
  card: 'M2.5 5h15v10.5h-15zM2.5 8.5h15M5.5 12.25h3',
  check: 'M4.5 10.5l3.7 3.7 7.5-8.2',
  clock: 'M10 6v4l2.5 1.5M17 10a7 7 0 1 1-14 0 7 7 0 0 1 14 0z',
  copy: 'M7.5 7.5h9v9h-9zM12.5 7.5v-4h-9v9h4',
  down: 'M5.5 8l4.5 4.5L14.5 8',
  find: 'M13 8.5a4.5 4.5 0 1 1-9 0 4.5 4.5 0 0 1 9 0zM12 12l4.5 4.5',
  held: 'M10 2.8l6 2.2v4.5c0 3.7-2.5 6.3-6 7.7-3.5-1.4-6-4-6-7.7V5z',
  info: 'M10 9.25v4M10 6.5h.01M17 10a7 7 0 1 1-14 0 7 7 0 0 1 14 0z',
  item: 'M10 2.8l6 3.2v8l-6 3.2L4 14V6zM4 6l6 3.2L16 6M10 9.2v8',
  lost: 'M2.5 8.5a11 11 0 0 1 4.2-2.6M9.5 5.1a11 11 0 0 1 8 3.4M5.5 11.5a6.5 6.5 0 0 1 3-1.7M10 15.3h.01M4 3.5l12.5 13',
  next: 'M8 5l5 5-5 5',
  out: 'M8.5 4.5h-4v11h11v-4M11.5 4h4.5v4.5M16 4l-6.5 6.5',
  phone: 'M6 2.5h8v15H6zM9.2 15h1.6',
  print: 'M6 7.5v-4h8v4M6 14H3.5V7.5h13V14H14M6 12h8v4.5H6z',
  qr: 'M3.5 3.5h4.5v4.5H3.5zM12 3.5h4.5v4.5H12zM3.5 12h4.5v4.5H3.5zM12 12h2v2M16.5 12v1.5M12 16.5h1M16 16.5h.5',
  reload: 'M15.8 11a6 6 0 1 1-1.5-5.3l1.7 1.8M16.2 3.5v4h-4',
  returned: 'M8 5.5L3.5 10 8 14.5M4 10h12.5',
  save: 'M10 3.5v9M6.5 9l3.5 3.5L13.5 9M4 16.5h12',
  sign: 'M3.5 16.5l1-4 9-9 3 3-9 9zM11.5 5.5l3 3',
  swap: 'M6.5 3.5L3.5 6.5l3 3M3.5 6.5h11M13.5 10.5l3 3-3 3M16.5 13.5h-11',
  till: 'M3 4.5h14v11H3zM3 10h4.5c0 1.4 1.1 2.2 2.5 2.2s2.5-.8 2.5-2.2H17',
  wallet: 'M14 7V4H5.5a2.25 2.25 0 0 0 0 4.5M3.25 6.2v8A1.8 1.8 0 0 0 5 16h12V7H5.5M13.5 11.5h.01',
  warn: 'M10 3.5l7 12.5H3zM10 8.5v3.5M10 13.9h.01',
}

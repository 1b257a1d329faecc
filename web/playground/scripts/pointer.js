// Pointer and keys over the canvas, in pixels of the picture.

const kKeys = { ArrowLeft: 1, ArrowRight: 2, ArrowUp: 4, ArrowDown: 8, " ": 16, Shift: 32 };

/** @param {HTMLElement} place contains the canvas @param {(inputs: Record<string, number>) => void} send */
export function watchPointer(place, send) {
  let keys = 0;
  const position = (/** @type {PointerEvent} */ event) => {
    const canvas = place.querySelector("canvas");
    if (!canvas) return {};
    // The picture is centered in the element (object-fit: contain).
    const box = canvas.getBoundingClientRect();
    const scale = Math.min(box.width / canvas.width, box.height / canvas.height);
    return { mouse_x: (event.clientX - box.left - (box.width - scale * canvas.width) / 2) / scale,
      mouse_y: (event.clientY - box.top - (box.height - scale * canvas.height) / 2) / scale };
  };
  const onCanvas = (/** @type {Event} */ event) => event.target instanceof HTMLCanvasElement;
  place.addEventListener("pointermove", (event) => onCanvas(event) && send(position(event)));
  place.addEventListener("pointerdown", (event) => {
    if (!onCanvas(event)) return;
    /** @type {HTMLCanvasElement} */ (event.target).setPointerCapture(event.pointerId);
    send({ ...position(event), mouse_down: 1 });
  });
  for (const name of ["pointerup", "pointercancel"]) place.addEventListener(name, () => send({ mouse_down: 0 }));
  const key = (/** @type {KeyboardEvent} */ event) => {
    const bit = onCanvas(event) ? kKeys[/** @type {keyof typeof kKeys} */ (event.key)] : undefined;
    if (bit === undefined) return;
    if (event.key !== "Shift") event.preventDefault();
    keys = event.type === "keydown" ? keys | bit : keys & ~bit;
    send({ keys });
  };
  place.addEventListener("keydown", key);
  place.addEventListener("keyup", key);
  place.addEventListener("focusout", () => send({ keys: (keys = 0) }));
}

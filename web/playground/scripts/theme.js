// Light and dark: the system's choice, or the reader's.

const kChoices = ["auto", "light", "dark"];
const kTexts = { auto: ["◐", "automatic"], light: ["☀", "light"], dark: ["☾", "dark"] };

/** @param {HTMLButtonElement} button */
export function startTheme(button) {
  let choice = stored();
  const apply = () => {
    if (choice === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = choice;
    const [glyph, name] = kTexts[/** @type {keyof typeof kTexts} */ (choice)];
    button.textContent = glyph;
    button.setAttribute("aria-label", `Color scheme: ${name}`);
    button.title = `Color scheme: ${name}`;
  };
  button.addEventListener("click", () => {
    choice = kChoices[(kChoices.indexOf(choice) + 1) % kChoices.length];
    try { localStorage.setItem("quern.theme", choice); } catch { /* storage is disabled: the choice lasts for this visit */ }
    apply();
  });
  apply();
}

/** @returns {string} */
function stored() {
  try {
    const value = localStorage.getItem("quern.theme") ?? "auto";
    return kChoices.includes(value) ? value : "auto";
  } catch {
    return "auto";
  }
}

"""Tables that were not written for the code: a ward's list as a German program saves it."""

from pathlib import Path

HEADER = "Patient;Alter;Station;Kosten;Aufnahme;Größe"


def german_stays(path: Path, people: int = 300) -> Path:
    """Hospital stays: semicolons, decimal commas, days before months, cp1252 and carriage returns."""
    wards = ("Innere", "Chirurgie", "Kinder", "Geburtshilfe")
    lines = [HEADER]
    for i in range(3 * people):
        cost = f"{(i * 7919) % 90000 / 100:.2f}".replace(".", ",")
        height = f"{0.5 + (i % 150) / 100:.2f}".replace(".", ",")
        day = f"{1 + i % 28:02d}.{1 + i % 12:02d}.{2019 + i % 5}"
        lines.append(f"P{i % people:05d};{(i * 31) % 95};{wards[i % 4]};{cost};{day};{height}")
    path.write_bytes(("\r\n".join(lines) + "\r\n").encode("cp1252"))
    return path

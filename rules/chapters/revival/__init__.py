"""Revival: tokens and leaders come back from the tanks, and who pays for them (AH.IX.B, AH.IX.D, WBC.IX.1, GF9.REV)."""

"""The spice round: the spice blow, worms and what they eat, the nexus (AH.VII, AH.XII, AH.XXI, WBC.VII)."""
